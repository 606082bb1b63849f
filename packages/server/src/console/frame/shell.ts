import { documentOf, HEARTS } from '../../pages/document.ts'
import { icon, sprite } from '../../pages/icons.ts'
import type { Theme } from '../../pages/theme.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { AssetPaths } from './asset-paths.ts'
import { keyboardHelp } from './help.ts'
import { GROUPS, type Place } from './places.ts'
import type { Rail } from './rail.ts'
import type { PageParts, Visit } from './visit.ts'

/** What the sandbox adds to every page. */
export interface SandboxFrame {
  /** The faults that are switched on, in words. */
  faults: readonly string[]
  /** How far its clock is ahead of the real time, in words. */
  ahead: string | undefined
  /** The panel that opens over the page, for who may use it. */
  drawer: Markup | undefined
}

export interface Shell extends PageParts {
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
    markup`${sprite}<a class="skip" href="#main">To the page</a>
${sandbox && ribbon(sandbox)}
<div class="shell"><header class="rail"><a class="brand" href="/messages">${flag}Wigwag</a>
${purse(rail)}
<button class="second tiny menu" popovertarget="places">${icon('menu')}Menu</button>
<nav id="places" popover aria-label="Console">${GROUPS.map((group) => groupOf(group, page))}
<div class="me">${person.personId === '' ? markup`<span class="soft">${person.email}</span>` : markup`<a class="soft" href="/you">${person.email}</a>`}<button class="link" popovertarget="help">Keyboard</button><form method="post" action="/sign-out">${ticketField(form)}<button class="link">Sign out</button></form></div></nav></header>
<main id="main"${middle && markup` class="middle"`}>
${body}
</main></div>
${sandbox?.drawer}
${keyboardHelp({ ...page, form, sandbox: sandbox?.drawer })}
<div class="unseen" id="says" role="status" aria-live="polite"></div>`,
  )
}

/** A page of one sheet, without the rail: before a person has signed in. */
export function bareShell(
  page: Pick<Shell, 'title' | 'assets' | 'theme' | 'body'> & { sandbox: unknown },
): string {
  return documentFor({ ...page, script: 'proof' }, markup`<main class="centre">${page.body}</main>`)
}

function documentFor(page: DocumentParts, body: Markup): string {
  const { title, assets, theme, sandbox, script } = page
  const scripts = [assets.script, ...(script ? [assets[`${script}Script`]] : [])]
  const heart = sandbox ? HEARTS.sandbox : HEARTS.real
  const site = sandbox ? 'Wigwag TEST' : 'Wigwag'
  return documentOf({ title, site, heart, style: assets.style, scripts, theme }, body)
}

type DocumentParts = Pick<Shell, 'title' | 'assets' | 'theme' | 'script'> & { sandbox?: unknown }

function ribbon({ faults, ahead, drawer }: SandboxFrame): Markup {
  // A small window has no room for both: TEST says that it is the sandbox.
  const isUnusual = ahead !== undefined || faults.length > 0
  return markup`<section class="ribbon" aria-label="Sandbox"><b>TEST</b><span${isUnusual && markup` class="roomy"`}><span class="strong">Sandbox.</span> <span class="roomy">No text reaches a phone and the money is play money.</span></span><span class="end">${
    ahead !== undefined && markup`<span class="fault"><span class="roomy">Clock </span>${ahead} ahead</span>`
  }${
    faults.length > 0 &&
    markup`<span class="fault">Fault<span class="roomy"> on: ${faults.join(', ')}</span></span>`
  }${drawer && markup`<button popovertarget="sandbox">Controls <kbd class="roomy">t</kbd></button>`}</span></section>`
}

/** What there is to spend; the live stream keeps it up to date. */
function purse({ currency, available }: Rail): Markup {
  return markup`<a class="purse" id="purse" href="/wallet"><span class="soft small">Balance</span><strong>${currency} ${amountOf(available)}</strong></a>`
}

function groupOf(
  { title, places }: (typeof GROUPS)[number],
  { place, rail, visit }: Pick<Shell, 'place' | 'rail' | 'visit'>,
): Markup {
  const mine = Object.entries<Place>(places).filter(([, { right }]) => visit.may(right))
  if (mine.length === 0) return markup``
  const links = mine.map(
    ([id, { path, name, icon: drawing }]) =>
      markup`<a href="${path}"${id === place && markup` aria-current="page"`}>${icon(drawing)}${name}${count(id, rail)}</a>`,
  )
  return markup`${title && markup`<h2>${title}</h2>`}${links}`
}

/** Only what waits or is wrong has a number. */
function count(id: string, { scheduled, givenUp }: Rail): Markup | false {
  if (id === 'scheduled' && scheduled > 0)
    return markup`<span class="count">${upTo99(scheduled)}<span class="unseen"> waiting</span></span>`
  if (id === 'callbacks' && givenUp > 0)
    return markup`<span class="count bad">${upTo99(givenUp)}<span class="unseen"> given up</span></span>`
  return false
}

function upTo99(count: number): string {
  return count > 99 ? '99+' : String(count)
}
