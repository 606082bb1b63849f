import type { Ticket } from '../../domain/ids.ts'
import { isFinal } from '../../domain/message.ts'
import type { ListedMessage } from '../inbox/row.ts'

/** How many rows a page of the inbox has, and a watcher reads. */
export const PAGE_ROWS = 60
/** So many messages are looked up until they no longer change: those that pages show, and no more than they hold. */
const MOST_OPEN = 260

/** What has changed in a list since the last poll. */
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
export interface Seen {
  /** Messages that pages show and that may still change. */
  open(): Ticket[]
  /** Adds messages that a page shows. */
  watch(ids: readonly Ticket[]): void
  /** Compares the newest page, and other messages that were looked up, with what was seen. The first look finds nothing. */
  compare(page: readonly ListedMessage[], others: readonly ListedMessage[]): Difference
  /** Remembers them, and that the rows of `shown` were told to pages. */
  remember(page: NewestPage, others: readonly ListedMessage[], shown: readonly ListedMessage[]): void
  /** The newest message that was seen; empty when there was none. */
  newest(): string
}

export function createSeen(): Seen {
  let known: Map<Ticket, string> | undefined
  let open = new Set<Ticket>()
  let newest = ''
  /** The page reached down to here. What is older comes into a page when others leave it, and is not new. */
  let floor = ''

  return {
    open: () => [...open],
    newest: () => newest,
    watch(ids) {
      for (const id of ids) open.add(id)
    },
    compare(page, others) {
      const before = known
      if (!before) return { fresh: [], changed: [] }
      const fresh = page.filter(({ id }) => !before.has(id) && id > floor).reverse()
      const changed = [...page, ...others].filter((row) => {
        const state = open.has(row.id) ? before.get(row.id) : undefined
        return state !== undefined && state !== stateOf(row)
      })
      return { fresh, changed }
    },
    remember({ rows: page, floor: readDownTo }, others, shown) {
      for (const { id } of shown) open.add(id)
      const rows = [...page, ...others]
      const waiting = rows.filter((row) => open.has(row.id) && isOpen(row)).map(({ id }) => id)
      open = new Set(waiting.sort(newestFirst).slice(0, MOST_OPEN))
      known = new Map(rows.map((row) => [row.id, stateOf(row)]))
      floor = readDownTo
      const top = page[0]?.id ?? ''
      if (top > newest) newest = top
    },
  }
}

function newestFirst(a: Ticket, b: Ticket): number {
  return a < b ? 1 : -1
}

/** What a row, or the message when it is open, shows that can change. */
function stateOf({ status, callback, attempts }: ListedMessage): string {
  return `${status} ${callback} ${attempts}`
}

/** Whether the message, or the callback about it, is still on its way. */
function isOpen({ status, callback, callbackUrl }: ListedMessage): boolean {
  if (!isFinal(status) || callback === 'pending') return true
  return callbackUrl !== null && callback === undefined
}
