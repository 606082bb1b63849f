import { toDecimal } from '@wigwag/contract'
import { Problem } from '../../../kernel/errors.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Cell } from '../../../kernel/text/csv.ts'
import { inZoneAndUtc, isZone } from '../../../kernel/time/zones.ts'
import type { MessageRow } from '../../../messages/index.ts'
import type { Together } from '../../../messages/sending/index.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { instant } from '../../../net/server/paging.ts'
import { countOf, several } from '../../count.ts'
import { csvReply } from '../../files.ts'
import { amountOf } from '../../widgets/money.tsx'
import type { Pages } from '../frame/pages.tsx'
import { missingPage, type Page, unlessMissing, type Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { cancelAll, listRow, type Waiting, waitingRow, waitingTable } from './waiting-table.tsx'

const ROWS = 60

/** The messages that wait for their time. */
export function mountScheduled(pages: Pages, { sending, clock }: ConsoleParts): void {
  const { forPages } = sending

  pages.show('/scheduled', 'read', (visit) => list(visit))

  pages.file('/scheduled.csv', 'read', async ({ principal }) =>
    csvReply({ ...scheduledFile, read: (cursor) => forPages.scheduled(principal, { cursor, limit: 500 }) }),
  )

  pages.show('/scheduled/:ticket', 'read', async (visit) => {
    const { c, principal, may, form } = visit
    const ticket = c.req.param('ticket') ?? ''
    const cursor = c.req.query('cursor')
    const list = await forPages.listOf(principal, ticket, { cursor, limit: ROWS })
    const [first] = list?.items ?? []
    if (!list || !first) return missingPage({ what: 'list', place: 'scheduled' })
    const view = {
      form,
      maySend: may('send'),
      currency: principal.wallet.currency,
      now: clock.now(),
      isFirst: cursor === undefined,
    }
    const body = listPage({ ...view, ...list, first, at: `/scheduled/${ticket}` })
    return { title: 'Scheduled list', place: 'scheduled', body }
  })

  pages.change('/scheduled/:ticket/cancel-all', { right: 'send' }, async ({ c, principal }) => {
    const cancelled = await forPages.cancelTogether(principal, c.req.param('ticket') ?? '')
    return cancelled === undefined
      ? missingPage({ what: 'list', place: 'scheduled' })
      : goTo(`/scheduled?done=cancelled&count=${cancelled}`)
  })

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
    const { items, next } = await forPages.together(principal, { cursor, limit: ROWS })
    const count = c.req.query('count') ?? ''
    const at = c.req.query('at') ?? ''
    const zone = c.req.query('zone') ?? ''
    const body = scheduledPage({
      form,
      maySend: may('send'),
      items,
      next,
      isFirst: cursor === undefined,
      currency: principal.wallet.currency,
      now: clock.now(),
      refused,
      done:
        c.req.query('done') === 'cancelled'
          ? cancelledWords(/^\d{1,9}$/.test(count) ? Number(count) : 1)
          : /^\d{1,15}$/.test(at) && isZone(zone)
            ? `Scheduled: it goes out at ${inZoneAndUtc(Number(at), zone)}.`
            : undefined,
    })
    return { title: 'Scheduled', place: 'scheduled', status: refused === undefined ? 200 : 409, body }
  }
}

interface ScheduledView {
  form: FormTicket
  /** Whether the person may send, and so schedule and cancel. */
  maySend: boolean
  /** Lists and single messages. */
  items: readonly Together[]
  /** Where later ones are; undefined on the last page. */
  next: string | undefined
  isFirst: boolean
  currency: string
  now: EpochMs
  /** Why a message was not cancelled. */
  refused: string | undefined
  /** Words for what was just done. */
  done: string | undefined
}

function cancelledWords(count: number): string {
  if (count === 0) return 'Nothing was left to cancel: their time has come, or they were cancelled before.'
  return count === 1
    ? 'Cancelled. What was held for it was released.'
    : `${countOf(count)} messages cancelled. What was held for them was released.`
}

/** Messages that wait for their time, the next one due first. Cancelling one takes a second press. */
function scheduledPage(view: ScheduledView): Markup {
  const { items, isFirst, refused, done, maySend } = view
  const isEmpty = items.length === 0 && isFirst
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
      {done !== undefined && (
        <div class="note good" role="status">
          <p>{done}</p>
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
  const { items, next, isFirst } = view
  return (
    <div class="sheet flush">
      {waitingTable(
        'Scheduled messages and lists, the next one due first',
        view,
        items.map((item) => (item.messages === 1 ? waitingRow(item.first, view) : listRow(item, view))),
      )}
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

interface ListPageView extends Waiting, Pick<Together, 'first' | 'messages' | 'held'> {
  items: readonly MessageRow[]
  next: string | undefined
  isFirst: boolean
  /** The page's own address. */
  at: string
}

/** The messages of a list that wait, each of which can be cancelled too. */
function listPage(view: ListPageView): Markup {
  const { first, messages, held, currency, maySend, form, items, next, isFirst, at } = view
  return (
    <>
      <div class="head">
        <a class="back" href="/scheduled">
          <span aria-hidden="true">← </span>Scheduled
        </a>
        <h1>{several(messages, 'message')} that wait together</h1>
        {maySend && <span class="end">{cancelAll(form, first.id, messages)}</span>}
      </div>
      <p>
        From <bdi class="strong">{first.sender}</bdi>, at {inZoneAndUtc(first.sendAt, 'UTC')}. {currency}{' '}
        {amountOf(held)} held.
      </p>
      <div class="sheet flush">
        {waitingTable(
          'Messages of the list',
          view,
          items.map((message) => waitingRow(message, view)),
        )}
        {(!isFirst || next !== undefined) && (
          <div class="pages">
            {!isFirst && <a href={at}>First page</a>}
            {next !== undefined && (
              <a class="end" href={`${at}?cursor=${next}`}>
                More messages
              </a>
            )}
          </div>
        )}
      </div>
    </>
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
