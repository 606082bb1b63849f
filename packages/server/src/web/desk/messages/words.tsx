import type { AccountRow } from '../../../accounts/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { type Column, tableHead } from '../../widgets/table.tsx'
import { pathOf as customerPath } from '../customers/words.tsx'
import { type Page, refusal } from '../frame/visit.ts'

export const ROWS = 50

/** The address of a message's page, or of one below it. */
export function pathOf(ticket: string, below = ''): string {
  return `/messages/${encodeURIComponent(ticket)}${below}`
}

/** A customer's name, which leads to its page. */
export function customer(id: string, accounts: ReadonlyMap<string, AccountRow>): Markup {
  const name = accounts.get(id)?.name ?? ''
  return (
    <a href={customerPath({ id })}>
      {name === '' ? <span class="mono small">{id}</span> : <bdi>{name}</bdi>}
    </a>
  )
}

export function noSuchMessage(): Page {
  return refusal(404, {
    title: 'There is no such message',
    text: 'No message has this ticket, or it was deleted.',
    link: { href: '/messages', text: 'Look for messages' },
  })
}

/** A table with its links to other pages of the list. */
export function tableSheet(options: {
  label: string
  head: readonly Column[]
  rows: readonly Markup[]
  pages: Markup | false
}): Markup {
  const { label, head, rows, pages } = options
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label={label}>
      <table class="messages">
        <caption class="unseen">{label}</caption>
        {tableHead(...head)}
        <tbody>{rows}</tbody>
      </table>
      {pages && <div class="pages">{pages}</div>}
    </section>
  )
}

export function nothing(text: string): Markup {
  return (
    <section class="sheet">
      <p>{text}</p>
    </section>
  )
}
