import type { OperatorContact } from '../../../kernel/operator-contact.ts'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { operatorFoot } from '../../../net/pages/operator.tsx'
import { script, stylesheet } from '../../assets.ts'
import { documentOf, HEARTS } from '../../document.tsx'
import { icon, sprite } from '../../icons.tsx'
import { type Theme, type ThemeChoice, themeChoice } from '../../theme.tsx'
import { money } from '../../widgets/money.tsx'
import { GROUPS, type Place, type Rail } from './rail.ts'
import type { PageContent, Visit } from './visit.tsx'

/** The console's own files; those that send, and those on which people show who they are, have a script beside the other. */
export const ASSETS = {
  style: stylesheet('style.css'),
  script: script('script.js'),
  sendScript: script('send.js'),
  proofScript: script('proof.js'),
} as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>

/** The sandbox's additions to every page. */
export interface SandboxFrame {
  /** The faults that are switched on, in words. */
  faults: readonly string[]
  /** How far its clock is ahead of the real time, in words. */
  ahead: string | undefined
  /** The panel that opens over the page, for who may use it. */
  drawer: Markup | undefined
}

interface Shell extends PageContent {
  assets: AssetPaths
  theme: Theme | undefined
  /** The path of the page, for forms that come back to it. */
  here: string
  visit: Pick<Visit, 'person' | 'may' | 'form'>
  rail: Rail
  sandbox: SandboxFrame | undefined
}

/** A whole page: the ribbon of the sandbox, the rail, and what the page shows. */
export function shell(page: Shell): string {
  const { visit, rail, sandbox, body, middle } = page
  const { person, form } = visit
  return documentFor(
    page,
    <>
      {sprite}
      <a class="skip" href="#main">
        To the page
      </a>
      {sandbox && ribbon(sandbox)}
      <div class="shell">
        <header class="rail">
          <a class="brand" href="/messages">
            {flag}Wigwag
          </a>{' '}
          {purse(rail)}{' '}
          <button class="second tiny menu" popovertarget="places">
            {icon('menu')}Menu
          </button>
          <nav id="places" popover="auto" aria-label="Console">
            {GROUPS.map((group) => groupOf(group, page))}
            <div class="me">
              {person.personId === '' ? (
                <span class="soft">{person.email}</span>
              ) : (
                <a class="soft" href="/you">
                  {person.email}
                </a>
              )}
              <button class="link" popovertarget="help">
                Keyboard and theme
              </button>
              <form method="post" action="/sign-out">
                {ticketField(form)}
                <button class="link">Sign out</button>
              </form>
            </div>
          </nav>
        </header>
        <main id="main" class={middle ? 'middle' : undefined}>
          {body}
        </main>
      </div>
      {sandbox?.drawer}
      {keyboardHelp({ ...page, form, sandbox: sandbox?.drawer })}
      <div class="unseen" id="says" role="status" aria-live="polite" />
    </>,
  )
}

/** A page of one sheet, without the rail: before a person has signed in. */
export function bareShell(
  page: Pick<Shell, 'title' | 'assets' | 'theme' | 'body'> & { sandbox: unknown; operator: OperatorContact },
): string {
  return documentFor(
    { ...page, script: 'proof' },
    <main class="centre">
      {page.body}
      {operatorFoot(page.operator)}
    </main>,
  )
}

function documentFor(
  page: Pick<Shell, 'title' | 'assets' | 'theme' | 'script'> & { sandbox?: unknown },
  body: Markup,
): string {
  const { title, assets, theme, sandbox, script } = page
  const scripts = [assets.script, ...(script ? [assets[`${script}Script`]] : [])]
  const heart = sandbox ? HEARTS.sandbox : HEARTS.real
  const site = sandbox ? 'Wigwag TEST' : 'Wigwag'
  return documentOf({ title, site, heart, style: assets.style, scripts, theme }, body)
}

function ribbon({ faults, ahead, drawer }: SandboxFrame): Markup {
  // A small window has no room for both: TEST says that it is the sandbox.
  const isUnusual = ahead !== undefined || faults.length > 0
  return (
    <section class="ribbon" aria-label="Sandbox">
      <b>TEST</b>
      <span class={isUnusual ? 'roomy' : undefined}>
        <span class="strong">Sandbox.</span>{' '}
        <span class="roomy">No text reaches a phone and the money is play money.</span>
      </span>
      <span class="end">
        {ahead !== undefined && (
          <span class="fault">
            <span class="roomy">Clock </span>
            {ahead} ahead
          </span>
        )}
        {faults.length > 0 && (
          <span class="fault">
            Fault<span class="roomy"> on: {faults.join(', ')}</span>
          </span>
        )}
        {drawer && (
          <button popovertarget="sandbox">
            Controls <kbd class="roomy">t</kbd>
          </button>
        )}
      </span>
    </section>
  )
}

/** The available balance. The live stream keeps it up to date. */
function purse({ currency, available, isLow }: Rail): Markup {
  return (
    <a class="purse" id="purse" href="/wallet">
      <span class={isLow ? 'bad strong small' : 'soft small'}>{isLow ? 'Balance is low' : 'Balance'}</span>
      <strong>{money(available, currency)}</strong>
    </a>
  )
}

function groupOf(
  { title, places }: (typeof GROUPS)[number],
  { place, rail, visit }: Pick<Shell, 'place' | 'rail' | 'visit'>,
): Markup | undefined {
  const mine = Object.entries<Place>(places).filter(([, { right }]) => visit.may(right))
  if (mine.length === 0) return undefined
  const links = mine.map(([id, { path, name, icon: drawing }]) => (
    <a href={path} aria-current={id === place ? 'page' : undefined}>
      {icon(drawing)}
      {name}
      {count(id, rail)}
    </a>
  ))
  return (
    <>
      {title && <h2>{title}</h2>}
      {links}
    </>
  )
}

/** Only what waits or is wrong has a number. */
function count(id: string, { scheduled, givenUp, alerts }: Rail): Markup | false {
  if (id === 'scheduled' && scheduled > 0)
    return (
      <span class="count">
        {upTo99(scheduled)}
        <span class="unseen"> waiting</span>
      </span>
    )
  if (id === 'alerts' && alerts > 0)
    return (
      <span class="count bad">
        {upTo99(alerts)}
        <span class="unseen"> there</span>
      </span>
    )
  if (id === 'callbacks' && givenUp > 0)
    return (
      <span class="count bad">
        {upTo99(givenUp)}
        <span class="unseen"> given up</span>
      </span>
    )
  return false
}

function upTo99(count: number): string {
  return count > 99 ? '99+' : String(count)
}

/** The keys of the console, with the switch that turns single keys off, and the choice of a theme. */
function keyboardHelp({ sandbox, ...choice }: ThemeChoice & { sandbox?: unknown }): Markup {
  return (
    <div id="help" class="help" popover="auto" role="dialog" aria-labelledby="help-title">
      <div class="head">
        <h2 id="help-title">Keyboard and theme</h2>
        <span class="end">
          <button class="second tiny" popovertarget="help" popovertargetaction="hide">
            Close
          </button>
        </span>
      </div>
      <dl>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>next and previous message; Enter opens it</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>close what is open</dd>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>filter</dd>
        <dt>
          <kbd>n</kbd>
        </dt>
        <dd>newest messages</dd>
        <dt>
          <kbd>l</kbd>
        </dt>
        <dd>pause the list, or go on</dd>
        <dt>
          <kbd>c</kbd>
        </dt>
        <dd>send a message</dd>
        <dt>
          <kbd>g</kbd> then <kbd>i</kbd> <kbd>s</kbd> <kbd>w</kbd> <kbd>b</kbd> <kbd>d</kbd>
        </dt>
        <dd>inbox, insights, wallet, callbacks, developers</dd>
        {sandbox !== undefined && (
          <>
            <dt>
              <kbd>t</kbd>
            </dt>
            <dd>sandbox controls</dd>
          </>
        )}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>this help</dd>
      </dl>
      <label class="on-off">
        <input type="checkbox" id="keys-on" checked />
        <span>Single keys do something</span>
      </label>
      <p class="soft small">Turn them off if you speak to your computer. Esc works in any case.</p>
      {themeChoice(choice)}
    </div>
  )
}
