import { toDecimal } from '@wigwag/contract'
import type { Cell } from '../../domain/csv.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { csvReply } from '../../pages/csv.ts'
import { instant } from '../../platform/http/paging.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { ReadInbox } from './read.ts'
import type { ListedMessage } from './row.ts'

const ROWS = 1_000
const HEAD = [
  ...['time', 'status', 'ticket', 'to', 'network', 'from', 'text', 'reference', 'segments', 'cost'],
  ...['callback', 'by', 'name'],
]

/** All messages that a filter matches, as a file. Times of the filter count from its beginning. */
export function exportMessages(
  readInbox: ReadInbox,
  { principal, q, now }: { principal: WalletPrincipal; q: string; now: EpochMs },
): Response {
  return csvReply({
    name: 'messages.csv',
    head: HEAD,
    async read(cursor) {
      const { rows, next } = await readInbox(principal, q, { cursor, limit: ROWS }, now)
      return { items: rows, next }
    },
    line: cellsOf,
  })
}

function cellsOf(message: ListedMessage): Cell[] {
  const { createdAt, status, id, recipient, network, sender, content, reference, segments, cost } = message
  return [
    ...[instant(createdAt), status, id, recipient, network ?? undefined, sender, content, reference],
    ...[segments, toDecimal(cost), message.callback, message.by?.kind, message.by?.name],
  ]
}
