import type { EpochMs } from '../../domain/ids.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { FaultSettings, RefusedRequest, SandboxOverview } from '../../sandbox/index.ts'
import type { WrongFaults } from './read-faults.ts'

/** What the controls show, in the drawer and on their page. */
export interface SandboxView extends SandboxOverview {
  form: FormTicket
  /** The page that a form comes back to. */
  back: string
  /** Before the ids of fields, which are on a page twice when the drawer is. */
  ids: 'drawer' | 'page'
  now: EpochMs
  /** How far the clock is ahead of the real time. */
  ahead: number
  faults: FaultSettings
  /** What was typed when it could not be read. */
  wrong?: WrongFaults | undefined
  refused: readonly RefusedRequest[]
  currency: string
  pendingSenders: readonly string[]
  /** What the wallet goes back to; undefined for other accounts than the demo. */
  startOver: { start: number; running: boolean } | undefined
}

/** A form of the controls: where it posts, and where it comes back to. */
export function controlForm(
  { form, back }: Pick<SandboxView, 'form' | 'back'>,
  what: string,
  body: Markup,
): Markup {
  return markup`<form method="post" action="/sandbox/${what}">${ticketField(form)}<input type="hidden" name="back" value="${back}">${body}</form>`
}

/** The heading of a section: one level below that of the drawer, or of the page. */
export function heading({ ids }: Pick<SandboxView, 'ids'>, text: Markup): Markup {
  return ids === 'page' ? markup`<h2 class="heading">${text}</h2>` : markup`<h3>${text}</h3>`
}
