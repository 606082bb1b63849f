import type { RefusedRequest } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { listTime } from '../../times.tsx'

interface Row extends Pick<RefusedRequest, 'at' | 'status' | 'code' | 'detail' | 'requestId'> {
  /** The method and the address, or the operation. */
  what: string
  /** The client ID that was given, where the page has room for it. */
  client?: string
}

/** Refused requests, newest first. */
export function refusedRows(rows: readonly Row[], now: EpochMs): Markup {
  return (
    <div class="sheet flush">
      <table class="list cards refused" role="table">
        <caption class="unseen">Refused requests, newest first</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col" class="w-time num">
              Time, UTC
            </th>
            <th role="columnheader" scope="col" class="w-number">
              Status
            </th>
            <th role="columnheader" scope="col">
              Code and reason
            </th>
            <th role="columnheader" scope="col" class="wide">
              Request
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">{rows.map((row) => refusedRow(row, now))}</tbody>
      </table>
    </div>
  )
}

function refusedRow({ at, status, code, detail, what, client, requestId }: Row, now: EpochMs): Markup {
  return (
    <tr role="row">
      <td role="cell" class="num cell-time">
        {listTime(at, now)}
      </td>
      <td role="cell" class="cell-state">
        <span class="bad">{status}</span>
      </td>
      <td role="cell" class="cell-text">
        <code>{code}</code>{' '}
        <span class="soft" dir="auto">
          {detail}
        </span>
      </td>
      <td role="cell" class="wide" title={requestId}>
        <code>{what}</code>
        {client !== undefined && (
          <p class="soft small">
            {client} · {requestId}
          </p>
        )}
      </td>
    </tr>
  )
}
