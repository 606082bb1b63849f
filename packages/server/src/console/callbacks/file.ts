import type { CallbackFilter, CallbackLog, LoggedCallback } from '../../callbacks/index.ts'
import type { Cell } from '../../domain/csv.ts'
import { csvReply } from '../../pages/csv.ts'
import { instant } from '../../platform/http/paging.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'

const HEAD = [
  ...['time', 'state', 'id', 'ticket', 'to', 'url', 'attempts'],
  ...['last_status', 'last_error', 'last_took_ms', 'next'],
]
const ROWS = 500

/** The callbacks that a filter matches, as a file. */
export function callbacksFile(
  log: CallbackLog,
  principal: WalletPrincipal,
  filter: CallbackFilter,
): Response {
  return csvReply({
    name: 'callbacks.csv',
    head: HEAD,
    read: (cursor) => log.list(principal, filter, { cursor, limit: ROWS }),
    line,
  })
}

function line(callback: LoggedCallback): Cell[] {
  const { createdAt, state, id, messageId, recipient, url, attempts, nextAttemptAt } = callback
  const { httpStatus, errorClass, latencyMs } = attempts.at(-1) ?? {}
  const next = nextAttemptAt === undefined ? undefined : instant(nextAttemptAt)
  const answered = [httpStatus ?? undefined, errorClass ?? undefined, latencyMs]
  return [instant(createdAt), state, id, messageId, recipient, url, attempts.length, ...answered, next]
}
