import type { EpochMs } from '../../../kernel/ids.ts'
import type { MessageRow } from '../../../messages/index.ts'
import type { Together } from '../../../messages/sending/index.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { listTime } from '../../times.tsx'
import { amountOf } from '../../widgets/money.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { NOT_SHOWN } from '../messages/list.tsx'

/** The page around the rows. */
export interface Waiting {
  form: FormTicket
  maySend: boolean
  currency: string
  now: EpochMs
}

/** A table of what waits for its time. */
export function waitingTable(
  caption: string,
  { currency, maySend }: Waiting,
  rows: readonly Markup[],
): Markup {
  return (
    <table class="list waiting" role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col" class="w-time">
            Send at, UTC
          </th>
          <th role="columnheader" scope="col" class="w-phone">
            To
          </th>
          <th role="columnheader" scope="col" class="widest w-name">
            From
          </th>
          <th role="columnheader" scope="col">
            Text
          </th>
          <th role="columnheader" scope="col" class="w-number num">
            {currency} held
          </th>
          {maySend && (
            <th role="columnheader" scope="col" class="cancel">
              <span class="unseen">Cancel</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">{rows}</tbody>
    </table>
  )
}

/** A list in one row: it is looked at on a page of its own, and cancelled whole. */
export function listRow({ first, messages, held }: Together, waiting: Waiting): Markup {
  return row(first, waiting, {
    href: `/scheduled/${first.id}`,
    to: `${countOf(messages)} numbers`,
    held: amountOf(held),
    cancel: cancelAll(waiting.form, first.id, messages),
  })
}

export function waitingRow(message: MessageRow, waiting: Waiting): Markup {
  const { id, recipient, price } = message
  return row(message, waiting, {
    href: `/messages/${id}`,
    to: phoneNumber(recipient),
    held: amountOf(price),
    cancel: (
      <details>
        <summary>
          Cancel<span class="unseen"> the message to {recipient}</span>
        </summary>
        <form method="post" action={`/scheduled/${id}/cancel`}>
          {ticketField(waiting.form)}
          <button class="danger tiny">Yes, cancel it</button>
        </form>
      </details>
    ),
  })
}

function row(
  { sendAt, sender, content }: MessageRow,
  { now, maySend }: Waiting,
  of: { href: string; to: Markup | string; held: Markup | string; cancel: Markup },
): Markup {
  return (
    <tr role="row">
      <td role="cell" class="cell-time">
        {listTime(sendAt, now)}
      </td>
      <td role="cell" class="cell-to">
        <a class="go" href={of.href}>
          {of.to}
        </a>
      </td>
      <td role="cell" class="widest">
        <bdi>{sender}</bdi>
      </td>
      <td role="cell" class={`cell-text${content === '' ? ' soft' : ''}`} dir="auto">
        {content === '' ? NOT_SHOWN : content}
      </td>
      <td role="cell" class="num cell-cost">
        {of.held}
      </td>
      {maySend && (
        <td role="cell" class="cancel">
          {of.cancel}
        </td>
      )}
    </tr>
  )
}

export function cancelAll(form: FormTicket, ticket: string, messages: number): Markup {
  return (
    <details>
      <summary>
        Cancel all<span class="unseen"> {countOf(messages)} messages of the list</span>
      </summary>
      <form method="post" action={`/scheduled/${ticket}/cancel-all`}>
        {ticketField(form)}
        <button class="danger tiny">Yes, cancel all {countOf(messages)}</button>
      </form>
    </details>
  )
}
