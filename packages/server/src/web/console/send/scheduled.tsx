import { toDecimal } from '@wigwag/contract'
import { Problem } from '../../../kernel/errors.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Cell } from '../../../kernel/text/csv.ts'
import type { MessageRow } from '../../../messages/index.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { instant } from '../../../net/server/paging.ts'
import { csvReply } from '../../files.ts'
import { listTime } from '../../times.tsx'
import { amountOf } from '../../widgets/money.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import type { Pages } from '../frame/pages.tsx'
import { missingPage, type Page, unlessMissing, type Visit } from '../frame/visit.tsx'
import { NOT_SHOWN } from '../messages/list.tsx'
import type { ConsoleParts } from '../parts.ts'

const ROWS = 60

/** The messages that wait for their time. */
export function mountScheduled(pages: Pages, { sending, clock }: ConsoleParts): void {
  const { forPages } = sending

  pages.show('/scheduled', 'read', (visit) => list(visit))

  pages.file('/scheduled.csv', 'read', async ({ principal }) =>
    csvReply({ ...scheduledFile, read: (cursor) => forPages.scheduled(principal, { cursor, limit: 500 }) }),
  )

  pages.change('/scheduled/:ticket/cancel', { right: 'send' }, async (visit) => {
    const { c, principal } = visit
    try {
      const cancelled = await unlessMissing(forPages.cancel(principal, c.req.param('ticket') ?? ''))
      return cancelled
        ? goTo('/scheduled?done=cancelled')
        : missingPage({ what: 'message', place: 'scheduled' })
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_cancellable') return list(visit, error.message)
      throw error
    }
  })

  async function list({ c, principal, may, form }: Visit, refused?: string): Promise<Page> {
    const cursor = refused === undefined ? c.req.query('cursor') : undefined
    const { items, next } = await forPages.scheduled(principal, { cursor, limit: ROWS })
    const body = scheduledPage({
      form,
      maySend: may('send'),
      messages: items,
      next,
      isFirst: cursor === undefined,
      currency: principal.wallet.currency,
      now: clock.now(),
      refused,
      isDone: c.req.query('done') === 'cancelled',
    })
    return { title: 'Scheduled', place: 'scheduled', status: refused === undefined ? 200 : 409, body }
  }
}

interface ScheduledView {
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

/** Messages that wait for their time, the next one due first. Cancelling one takes a second press. */
function scheduledPage(view: ScheduledView): Markup {
  const { messages, isFirst, refused, isDone, maySend } = view
  const isEmpty = messages.length === 0 && isFirst
  return (
    <>
      <div class="head">
        <h1>Scheduled</h1>
        {maySend && (
          <span class="end">
            <a class="button second" href="/send#SendAt">
              Schedule a message
            </a>
          </span>
        )}
      </div>
      {refused !== undefined && (
        <div class="note bad" role="alert">
          <p>
            <span class="strong">Not cancelled.</span> {refused}
          </p>
        </div>
      )}
      {isDone && (
        <div class="note good" role="status">
          <p>Cancelled. What was held for it was released.</p>
        </div>
      )}
      {isEmpty ? nothingWaits : waitingList(view)}
    </>
  )
}

const nothingWaits = (
  <section class="sheet">
    <h2>Nothing waits</h2>
    <p>
      A message with a time under “Send at” waits here, at most 90 days. Its price is held meanwhile, and
      released if you cancel it.
    </p>
  </section>
)

function waitingList(view: ScheduledView): Markup {
  const { messages, next, isFirst, currency, maySend } = view
  return (
    <div class="sheet flush">
      <table class="list waiting" role="table">
        <caption class="unseen">Scheduled messages, the next one due first</caption>
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
        <tbody role="rowgroup">{messages.map((message) => waitingRow(message, view))}</tbody>
      </table>
      <div class="pages">
        <a href="/scheduled.csv">Export CSV</a>
        {!isFirst && <a href="/scheduled">First page</a>}
        {next !== undefined && (
          <a class="end" href={`/scheduled?cursor=${next}`}>
            Later messages
          </a>
        )}
      </div>
    </div>
  )
}

function waitingRow(
  { id, sendAt, recipient, sender, content, price }: MessageRow,
  { form, now, maySend }: ScheduledView,
): Markup {
  return (
    <tr role="row">
      <td role="cell" class="cell-time">
        {listTime(sendAt, now)}
      </td>
      <td role="cell" class="cell-to">
        <a class="go" href={`/messages/${id}`}>
          {phoneNumber(recipient)}
        </a>
      </td>
      <td role="cell" class="widest">
        <bdi>{sender}</bdi>
      </td>
      <td role="cell" class={`cell-text${content === '' ? ' soft' : ''}`} dir="auto">
        {content === '' ? NOT_SHOWN : content}
      </td>
      <td role="cell" class="num cell-cost">
        {amountOf(price)}
      </td>
      {maySend && (
        <td role="cell" class="cancel">
          <details>
            <summary>
              Cancel<span class="unseen"> the message to {recipient}</span>
            </summary>
            <form method="post" action={`/scheduled/${id}/cancel`}>
              {ticketField(form)}
              <button class="danger tiny">Yes, cancel it</button>
            </form>
          </details>
        </td>
      )}
    </tr>
  )
}

const scheduledFile = {
  name: 'scheduled.csv',
  head: ['send_at', 'ticket', 'from', 'to', 'text', 'reference', 'segments', 'held', 'created'],
  line: ({
    sendAt,
    id,
    sender,
    recipient,
    content,
    reference,
    segments,
    price,
    createdAt,
  }: MessageRow): Cell[] => [
    instant(sendAt),
    id,
    sender,
    recipient,
    content,
    reference,
    segments,
    toDecimal(price),
    instant(createdAt),
  ],
}
