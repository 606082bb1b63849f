import { type Markup, markup } from '../../platform/pages/markup.ts'

export interface PasskeyForm {
  action: string
  /** The fields that the form carries, with its ticket. */
  hidden: Markup
  /** Where the script asks what the passkey is to sign. */
  options: string
  /** Whether a passkey is made or used. */
  kind: 'create' | 'get'
  button: string
}

/** A form that the script fills in with what a passkey answers. Without the script it stays hidden. */
export function passkeyForm({ action, hidden, options, kind, button }: PasskeyForm): Markup {
  return markup`<form method="post" action="${action}" data-passkey="${options}" data-kind="${kind}" hidden>${hidden}<input type="hidden" name="passkey" value="">
<p><button class="big">${button}</button></p><p class="wrong" role="alert" hidden>The browser gave no passkey. Try again.</p></form>
<noscript><p class="note">A passkey needs the script of this page, which the browser does not run. A code does not.</p></noscript>`
}
