import { raw } from 'hono/html'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { amountOf } from '../pieces/money.ts'
import type { AssetPaths } from './assets.ts'
import { keyboardHelp } from './help.ts'
import { icon, sprite } from './icons.ts'
import { GROUPS, type Place, type PlaceId } from './places.ts'
import type { Rail } from './rail.ts'
import type { Theme } from './theme.ts'

/** What a page says of itself; the frame adds the rest. */
export interface PageParts {
  title: string
  place: PlaceId
  body: Markup
  /** Whether it needs the script of the pages that send. */
  sends?: boolean
  /** For pages of forms and text: no wider than is good to read. */
  middle?: boolean
}

/** What the sandbox adds to every page. */
export interface SandboxFrame {
  /** The faults that are switched on, in words. */
  faults: readonly string[]
  /** How far its clock is ahead of the real time, in words. */
  ahead: string | undefined
  /** The panel that opens over the page. */
  drawer: Markup
}

export interface Shell extends PageParts {
  assets: AssetPaths
  theme: Theme | undefined
  /** The path of the page, for forms that come back to it. */
  here: string
  email: string
  form: FormTicket
  rail: Rail
  sandbox: SandboxFrame | undefined
}

/** A whole page: the ribbon of the sandbox, the rail, and what the page shows. */
export function shell(page: Shell): string {
  const { email, form, rail, sandbox, body, middle } = page
  return documentOf(
    page,
    markup`${sprite}<a class="skip" href="#main">To the page</a>
${sandbox && ribbon(sandbox)}
<div class="shell"><header class="rail"><a class="brand" href="/messages">${flag}Wigwag</a>
${purse(rail)}
<button class="second tiny menu" popovertarget="places">${icon('menu')}Menu</button>
<nav id="places" popover aria-label="Console">${GROUPS.map((group) => groupOf(group, page))}
<div class="me"><span class="soft">${email}</span><button class="link" popovertarget="help">Keyboard</button><form method="post" action="/sign-out">${ticketField(form)}<button class="link">Sign out</button></form></div></nav></header>
<main id="main"${middle && markup` class="middle"`}>
${body}
</main></div>
${sandbox?.drawer}
${keyboardHelp(page)}
<div class="unseen" id="says" role="status" aria-live="polite"></div>`,
  )
}

/** A page of one sheet, without the rail: before a person has signed in. */
export function bareShell(page: Pick<Shell, 'title' | 'assets' | 'theme' | 'body'>): string {
  return documentOf({ ...page, sandbox: true }, markup`<main class="centre">${page.body}</main>`)
}

/** The sandbox's flag has a hollow heart, so that two open tabs can be told apart. */
const ICONS = {
  real: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='%23c8321f'/%3E",
  sandbox: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='none' stroke='%23c8321f' stroke-width='3'/%3E",
}

interface Document {
  title: string
  assets: AssetPaths
  theme: Theme | undefined
  sandbox?: unknown
  sends?: boolean
}

function documentOf({ title, assets, theme, sandbox, sends }: Document, body: Markup): string {
  const heart = sandbox ? ICONS.sandbox : ICONS.real
  return markup`<!doctype html>
<html lang="en"${theme && markup` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title} · Wigwag${sandbox ? ' TEST' : ''}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='1.5' y='1.5' width='21' height='21' rx='3' fill='%23fff' stroke='%237d868d'/%3E${raw(heart)}%3C/svg%3E">
<link rel="stylesheet" href="${assets.style}"><script src="${assets.script}" defer></script>${sends && markup`<script src="${assets.sendScript}" defer></script>`}</head>
<body>
${body}
</body></html>
`.toString()
}

function ribbon({ faults, ahead }: SandboxFrame): Markup {
  // A small window has no room for both: TEST says that it is the sandbox.
  const isUnusual = ahead !== undefined || faults.length > 0
  return markup`<section class="ribbon" aria-label="Sandbox"><b>TEST</b><span${isUnusual && markup` class="roomy"`}><span class="strong">Sandbox.</span> <span class="roomy">No text reaches a phone and the money is play money.</span></span><span class="end">${
    ahead !== undefined && markup`<span class="fault"><span class="roomy">Clock </span>${ahead} ahead</span>`
  }${
    faults.length > 0 &&
    markup`<span class="fault">Fault<span class="roomy"> on: ${faults.join(', ')}</span></span>`
  }<button popovertarget="sandbox">Controls <kbd class="roomy">t</kbd></button></span></section>`
}

/** What there is to spend; the live stream keeps it up to date. */
function purse({ currency, available }: Rail): Markup {
  return markup`<a class="purse" id="purse" href="/wallet"><span class="soft small">Balance</span><strong>${currency} ${amountOf(available)}</strong></a>`
}

function groupOf(
  { title, places }: (typeof GROUPS)[number],
  { place, rail }: Pick<Shell, 'place' | 'rail'>,
): Markup {
  const links = Object.entries<Place>(places).map(
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
