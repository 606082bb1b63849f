import type { EpochMs } from '../../domain/ids.ts'
import type { MessageRow } from '../../messages/index.ts'
import { listTime } from '../../pages/times.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

export interface ScheduledView {
  form: FormTicket
  /** Whether the person may send, and so schedule and cancel. */
  maySend: boolean
  messages: readonly MessageRow[]
  /** Where later ones are; undefined on the last page. */
  next: string | undefined
  isFirst: boolean
  currency: string
  now: EpochMs
  /** Why a message was not cancelled. */
  refused: string | undefined
  /** Whether one was just cancelled. */
  isDone: boolean
}

/** What waits for its time, the next one due first. Each can be cancelled, after a second press. */
export function scheduledPage(view: ScheduledView): Markup {
  const { messages, isFirst, refused, isDone, maySend } = view
  const isEmpty = messages.length === 0 && isFirst
  return markup`<div class="head"><h1>Scheduled</h1>${maySend && markup`<span class="end"><a class="button second" href="/send#SendAt">Schedule a message</a></span>`}</div>
${refused !== undefined && markup`<div class="note bad" role="alert"><p><span class="strong">Not cancelled.</span> ${refused}</p></div>`}
${isDone && markup`<div class="note good" role="status"><p>Cancelled. What was held for it was given back.</p></div>`}
${isEmpty ? nothingWaits : list(view)}`
}

const nothingWaits = markup`<section class="sheet"><h2>Nothing waits</h2><p>A message with a time under “Send at” waits here, at most 90 days. Its price is held meanwhile, and given back if you cancel it.</p></section>`

function list(view: ScheduledView): Markup {
  const { messages, next, isFirst, currency, maySend } = view
  return markup`<div class="sheet flush"><table class="list waiting" role="table"><caption class="unseen">Scheduled messages, the next one due first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w-time">Send at, UTC</th><th role="columnheader" scope="col" class="w-phone">To</th><th role="columnheader" scope="col" class="widest w-name">From</th><th role="columnheader" scope="col">Text</th><th role="columnheader" scope="col" class="w-number num">${currency} held</th>${maySend && markup`<th role="columnheader" scope="col" class="cancel"><span class="unseen">Cancel</span></th>`}</tr></thead>
<tbody role="rowgroup">${messages.map((message) => row(message, view))}</tbody></table>
<div class="pages"><a href="/scheduled.csv">Export CSV</a>${!isFirst && markup`<a href="/scheduled">First page</a>`}${next !== undefined && markup`<a class="end" href="/scheduled?cursor=${next}">Later messages</a>`}</div></div>`
}

function row(
  { id, sendAt, recipient, sender, content, price }: MessageRow,
  { form, now, maySend }: ScheduledView,
): Markup {
  return markup`<tr role="row"><td role="cell" class="cell-time">${listTime(sendAt, now)}</td><td role="cell" class="cell-to"><a class="go" href="/messages/${id}">${phoneNumber(recipient)}</a></td><td role="cell" class="widest"><bdi>${sender}</bdi></td><td role="cell" class="cell-text" dir="auto">${content}</td><td role="cell" class="num cell-cost">${amountOf(price)}</td>${maySend && markup`<td role="cell" class="cancel"><details><summary>Cancel<span class="unseen"> the message to ${recipient}</span></summary><form method="post" action="/scheduled/${id}/cancel">${ticketField(form)}<button class="danger tiny">Yes, cancel it</button></form></details></td>`}</tr>`
}
