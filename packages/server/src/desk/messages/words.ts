import { type Micros, microsOfSum } from '@wigwag/contract'
import type { AccountRow } from '../../accounts/index.ts'
import type { SettledAs } from '../../delivery/index.ts'
import { several } from '../../pages/count.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { pathOf as customerPath } from '../customers/words.ts'
import { refusal } from '../frame/refusal.ts'
import { money } from '../widgets/money.ts'

export const ROWS = 50

/** The address of a message's page, or of one below it. */
export function pathOf(ticket: string, below = ''): string {
  return `/messages/${encodeURIComponent(ticket)}${below}`
}

/** A customer's name, which leads to its page. */
export function customer(id: string, accounts: ReadonlyMap<string, AccountRow>): Markup {
  const name = accounts.get(id)?.name ?? ''
  return markup`<a href="${customerPath({ id })}">${name === '' ? markup`<span class="mono small">${id}</span>` : markup`<bdi>${name}</bdi>`}</a>`
}

/** What is about to be decided in one way. */
export interface DecidedPart {
  status: SettledAs
  messages: number
  /** What is held for them, by currency. */
  held: ReadonlyMap<string, Micros>
}

export function heldOf(amounts: readonly { currency: string; held: Micros }[]): Map<string, Micros> {
  const sums = new Map<string, Micros>()
  for (const { currency, held } of amounts) sums.set(currency, microsOfSum((sums.get(currency) ?? 0) + held))
  return sums
}

/** `12 messages as delivered, which charges GHS 0.50` */
export function partInWords({ status, messages, held }: DecidedPart): string {
  const amounts = [...held].map(([currency, amount]) => money(amount, currency)).join(' and ')
  return `${several(messages, 'message')} as ${AS[status]}, which ${status === 'success' ? 'charges' : 'gives back'} ${amounts}`
}

const AS = { success: 'delivered', failed: 'failed' } as const satisfies Record<SettledAs, string>

export function noSuchMessage(): Response {
  return refusal(404, {
    title: 'There is no such message',
    text: 'No message has this ticket, or it was deleted.',
    link: { href: '/messages', text: 'Look for messages' },
  })
}

/** A table with its links to other pages of the list. */
export function tableSheet(options: {
  label: string
  head: readonly (string | { num: string })[]
  rows: readonly Markup[]
  pages: Markup | false
}): Markup {
  const { label, head, rows, pages } = options
  const cells = head.map((cell) =>
    typeof cell === 'string'
      ? markup`<th scope="col">${cell}</th>`
      : markup`<th scope="col" class="num">${cell.num}</th>`,
  )
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="${label}"><table class="messages"><caption class="unseen">${label}</caption><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>${pages && markup`<div class="pages">${pages}</div>`}</section>`
}
