import {
  type CallbackFilter,
  type CallbackLog,
  type LoggedCallback,
  MOST_ATTEMPTS,
} from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import type { Cell } from '../../../kernel/text/csv.ts'
import { MINUTE_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { instant } from '../../../net/server/paging.ts'
import { csvReply } from '../../files.ts'
import { duration, listTime } from '../../times.tsx'
import { answerCell, cutUrl } from '../../widgets/answer.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { callbackMark } from '../../widgets/state.tsx'

export interface CallbackList {
  rows: readonly LoggedCallback[]
  now: EpochMs
  /** Where older callbacks are; undefined on the last page. */
  older: string | undefined
  exportHref: string
}

/** The table of callbacks. When the next try is has a column where a callback waits for one. */
export function callbackList({ rows, now, older, exportHref }: CallbackList): Markup {
  const waits = rows.some(({ nextAttemptAt }) => nextAttemptAt !== undefined)
  const next = waits && (
    <th role="columnheader" scope="col" class="w-name num widest">
      Next try in
    </th>
  )
  return (
    <div class="sheet flush">
      <table class="list cards" role="table">
        <caption class="unseen">Callbacks, newest first</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col" class="w-name">
              State
            </th>
            <th role="columnheader" scope="col">
              Posted to
            </th>
            <th role="columnheader" scope="col" class="w-digits widest">
              About the message to
            </th>
            <th role="columnheader" scope="col" class="w-number num widest">
              Attempts
            </th>
            <th role="columnheader" scope="col" class="w-answer">
              Last answer
            </th>
            <th role="columnheader" scope="col" class="w-number num">
              Took
            </th>
            {next}
            <th role="columnheader" scope="col" class="w-time num">
              Time, UTC
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" id="rows">
          {rows.map((row) => rowOf(row, now, waits))}
        </tbody>
      </table>
      <div class="pages">
        <a href={exportHref}>Export CSV</a>
        {older !== undefined && (
          <a class="end" href={older}>
            Older callbacks
          </a>
        )}
      </div>
    </div>
  )
}

function rowOf(callback: LoggedCallback, now: EpochMs, waits: boolean): Markup {
  const { messageId, url, state, createdAt, recipient, attempts, nextAttemptAt } = callback
  const last = attempts.at(-1)
  const next = waits && (
    <td role="cell" class="num widest">
      {nextAttemptAt === undefined ? none('none') : pauseUntil(nextAttemptAt, now)}
    </td>
  )
  return (
    <tr role="row">
      <td role="cell" class="cell-state">
        {callbackMark(state)}
      </td>
      <td role="cell" class="cell-to">
        <a class="go mono" href={`/messages/${messageId}`}>
          {cutUrl(url)}
        </a>
      </td>
      <td role="cell" class="widest nums">
        {phoneNumber(recipient)}
      </td>
      <td role="cell" class="num widest">
        {countOf(last?.seq ?? 0)}
      </td>
      <td role="cell" class="cell-text">
        {last ? answerCell(last) : none('none yet')}
      </td>
      <td role="cell" class="num cell-cost">
        {last ? duration(last.latencyMs) : none('nothing')}
      </td>
      {next}
      <td role="cell" class="num cell-time">
        {listTime(createdAt, now)}
      </td>
    </tr>
  )
}

/** A callback posted again by hand may have more attempts than planned. */
function countOf(attempts: number): string {
  return attempts > MOST_ATTEMPTS ? String(attempts) : `${attempts} of ${MOST_ATTEMPTS}`
}

function pauseUntil(at: number, now: EpochMs): string {
  const minutes = Math.round((at - now) / MINUTE_MS)
  if (at <= now) return 'now'
  if (minutes < 1) return duration(at - now)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

function none(word: string): Markup {
  return (
    <>
      <span class="soft" aria-hidden="true">
        –
      </span>
      <span class="unseen">{word}</span>
    </>
  )
}

const HEAD = [
  'time',
  'state',
  'id',
  'ticket',
  'to',
  'url',
  'attempts',
  'last_status',
  'last_error',
  'last_took_ms',
  'next',
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
