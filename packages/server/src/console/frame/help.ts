import { type ThemeChoice, themeChoice } from '../../pages/theme.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** The keys of the console, with the switch that turns single keys off, and the choice of a theme. */
export function keyboardHelp({ sandbox, ...choice }: ThemeChoice & { sandbox?: unknown }): Markup {
  return markup`<div id="help" class="help" popover role="dialog" aria-labelledby="help-title"><div class="head"><h2 id="help-title">Keyboard</h2><span class="end"><button class="second tiny" popovertarget="help" popovertargetaction="hide">Close</button></span></div>
<dl><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous message; Enter opens it</dd>
<dt><kbd>Esc</kbd></dt><dd>close what is open</dd>
<dt><kbd>/</kbd></dt><dd>filter</dd>
<dt><kbd>n</kbd></dt><dd>newest messages</dd>
<dt><kbd>l</kbd></dt><dd>pause the list, or go on</dd>
<dt><kbd>c</kbd></dt><dd>send a message</dd>
<dt><kbd>g</kbd> then <kbd>i</kbd> <kbd>s</kbd> <kbd>w</kbd> <kbd>b</kbd> <kbd>d</kbd></dt><dd>inbox, insights, wallet, callbacks, developers</dd>
${sandbox !== undefined && markup`<dt><kbd>t</kbd></dt><dd>sandbox controls</dd>`}
<dt><kbd>?</kbd></dt><dd>this help</dd></dl>
<label class="on-off"><input type="checkbox" id="keys-on" checked><span>Single keys do something</span></label>
<p class="soft small">Turn them off if you speak to your computer. Esc works in any case.</p>
${themeChoice(choice)}</div>`
}
