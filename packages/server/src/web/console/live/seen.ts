import type { Ticket } from '../../../kernel/ids.ts'
import { isFinal } from '../../../kernel/message.ts'
import type { ListedMessage } from '../messages/list.tsx'

/** How many rows a page of the inbox has, and a watcher reads. */
export const PAGE_ROWS = 60
/** So many messages are looked up until they no longer change: those that pages show, and no more than they hold. */
const MOST_OPEN = 260

/** Changes of a list since the last poll. */
export interface Difference {
  /** Messages that were not in the list before, the oldest first. */
  fresh: ListedMessage[]
  changed: ListedMessage[]
}

/** The newest messages of a list. */
export interface NewestPage {
  rows: ListedMessage[]
  /** The place in the list down to which it was read; empty when there is nothing older. */
  floor: string
}

/** Remembers what was last seen of a list, and which of its messages pages show. */
export class Seen {
  #known: Map<Ticket, string> | undefined
  #open = new Set<Ticket>()
  #newest = ''
  /** The end of the last page. Older messages that move onto the page are not new. */
  #floor = ''

  /** Messages that pages show and that may still change. */
  open(): Ticket[] {
    return [...this.#open]
  }

  /** The newest message that was seen; empty when there was none. */
  newest(): string {
    return this.#newest
  }

  /** Adds messages that a page shows. */
  watch(ids: readonly Ticket[]): void {
    for (const id of ids) this.#open.add(id)
  }

  /** Compares the newest page, and other messages that were looked up, with what was seen. The first look finds nothing. */
  compare(page: readonly ListedMessage[], others: readonly ListedMessage[]): Difference {
    const before = this.#known
    if (!before) return { fresh: [], changed: [] }
    const fresh = page.filter(({ id }) => !before.has(id) && id > this.#floor).reverse()
    const changed = [...page, ...others].filter((row) => {
      const state = this.#open.has(row.id) ? before.get(row.id) : undefined
      return state !== undefined && state !== stateOf(row)
    })
    return { fresh, changed }
  }

  /** Remembers them, and that the rows of `shown` were told to pages. */
  remember(
    { rows: page, floor }: NewestPage,
    others: readonly ListedMessage[],
    shown: readonly ListedMessage[],
  ): void {
    for (const { id } of shown) this.#open.add(id)
    const rows = [...page, ...others]
    const waiting = rows.filter((row) => this.#open.has(row.id) && isOpen(row)).map(({ id }) => id)
    this.#open = new Set(waiting.sort(newestFirst).slice(0, MOST_OPEN))
    this.#known = new Map(rows.map((row) => [row.id, stateOf(row)]))
    this.#floor = floor
    const top = page[0]?.id ?? ''
    if (top > this.#newest) this.#newest = top
  }
}

function newestFirst(a: Ticket, b: Ticket): number {
  return a < b ? 1 : -1
}

/** The parts of a row, or of its open message, that can change. */
function stateOf({ status, callback, attempts }: ListedMessage): string {
  return `${status} ${callback} ${attempts}`
}

/** Whether the message, or the callback about it, is still on its way. */
function isOpen({ status, callback, callbackUrl }: ListedMessage): boolean {
  if (!isFinal(status) || callback === 'pending') return true
  return callbackUrl !== null && callback === undefined
}
