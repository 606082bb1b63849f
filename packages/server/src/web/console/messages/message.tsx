import { type CarrierVerdict, isOwnRef } from '../../../delivery/index.ts'
import type { Ticket } from '../../../kernel/ids.ts'
import { inFull } from '../../../messages/history/index.ts'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { stepsSheet } from '../../message-steps/steps.tsx'
import { exactTime } from '../../times.tsx'
import { codeBox } from '../../widgets/code.tsx'
import { countryName, phoneNumber } from '../../widgets/phone.tsx'
import { statusMark, wordOf } from '../../widgets/state.tsx'
import type { Pages } from '../frame/pages.tsx'
import { missingPage, type Page, unlessMissing, type Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { inboxColumn } from './inbox.tsx'
import { NOT_SHOWN, sentByInFull } from './list.tsx'
import { type PaneView, readMessage } from './message-read.ts'
import { callbackSheet, moneySheet, phoneSheet } from './message-sheets.tsx'
import { readInbox } from './read.ts'

const ROWS = 60

/** A message, beside the list that it was opened from. */
export function mountMessage(pages: Pages, parts: ConsoleParts): void {
  const { history, sandbox } = parts
  const source = { ...parts, queries: history.queries }

  pages.show('/messages/:ticket', 'read', async (visit) => {
    const { principal, may, form } = visit
    const open = await unlessMissing(readMessage(parts, principal, ticketOf(visit)))
    if (!open) return noSuchMessage()
    const { recipient, id } = open.message
    const q = (visit.c.req.query('q') ?? '').trim()
    const page = await readInbox(source, principal, q, { cursor: undefined, limit: ROWS })
    const list = await inboxColumn(visit, { q, cursor: undefined, open: id }, page, parts)
    const pane = messagePane({ ...open, q, form, may, canTell: sandbox !== undefined && may('build') })
    return {
      title: `To ${recipient}`,
      place: 'inbox',
      body: (
        <div class="split beside">
          <div class="others">{list}</div>
          <article class="pane">{pane}</article>
        </div>
      ),
    }
  })

  if (sandbox) {
    pages.change('/messages/:ticket/tell', { right: 'build' }, async (visit, form) => {
      const asked = history.queries.walletMessage(visit.principal, ticketOf(visit))
      const message = await unlessMissing(asked)
      if (!message) return noSuchMessage()
      const verdict = verdictOf(form)
      // A message that has ended meanwhile would get a second receipt, a late one.
      if (verdict && message.status === 'pending') await sandbox.tell(visit.principal, message.id, verdict)
      return goTo(addressOf(message.id, form.get('q') ?? ''))
    })
  }
}

function ticketOf({ c }: Visit): string {
  return c.req.param('ticket') ?? ''
}

function addressOf(ticket: Ticket, q: string): string {
  return `/messages/${ticket}${q === '' ? '' : `?${new URLSearchParams({ q })}`}`
}

function noSuchMessage(): Page {
  return missingPage({ what: 'message', place: 'inbox' })
}

/** The receipt that the sandbox's form asks for. */
function verdictOf(form: URLSearchParams): CarrierVerdict | undefined {
  return form.get('verdict') === 'success' ? 'success' : FAILURES.find((one) => one === form.get('how'))
}

/** A message: its state, what is on the phone, what happened, what it cost, and its callback. */
function messagePane(view: PaneView): Markup {
  const { message, canTell } = view
  return (
    <>
      {line(view)}
      {canTell && message.status === 'pending' && tellForm(view)}
      <div class="detail">
        {phoneSheet(view)}
        {stepsSheet({ ...view, ...carrierOf(view) })}
        {moneySheet(view)}
        {view.may('texts') && callbackSheet(view)}
        {details(view)}
      </div>
    </>
  )
}

/** The carrier's name, and its references for the message. */
function carrierOf({ waiting, message }: PaneView): { carrier: string | undefined; references: string[] } {
  const refs = (message.carrierRef ?? '').split(' ')
  return {
    carrier: waiting?.carrier ?? message.carrier ?? undefined,
    references: refs.filter((ref) => ref !== '' && !isOwnRef(ref)),
  }
}

function line({ message, q, may }: PaneView): Markup {
  const { id, status, recipient, network, country } = message
  const back = q === '' ? '/messages' : `/messages?${new URLSearchParams({ q })}`
  const place = [network ?? '', countryName(country)].filter((part) => part !== '').join(', ')
  return (
    <div class="head">
      <a class="back" href={back}>
        <span aria-hidden="true">← </span>Inbox
      </a>
      <h1 class="unseen">Message to {recipient}</h1>
      {statusMark(status, 'strong')}
      <span class="strong">{phoneNumber(recipient)}</span>
      <span class="soft">{place}</span>
      <span class="end">
        {may('send') && (
          <a class="button second tiny" href={`/send?again=${id}`}>
            Send again
          </a>
        )}
        <a class="button second tiny" href={back} id="shut">
          Close
        </a>
      </span>
    </div>
  )
}

function details(view: PaneView): Markup {
  const { message, now } = view
  const { id, reference, status, effectedAt, createdAt, sendAt, segments } = message
  return (
    <section class="sheet">
      <h2>Details</h2>
      <dl class="facts">
        <div>
          <dt>Ticket</dt>
          <dd class="mono">{id}</dd>
        </div>
        <div>
          <dt>Sent by</dt>
          <dd>{sentByInFull(view.sentBy)}</dd>
        </div>
        <div>
          <dt>Reference</dt>
          <dd>
            {reference === '' ? (
              <span class="soft">{view.may('texts') ? 'none' : NOT_SHOWN}</span>
            ) : (
              <bdi class="mono">{reference}</bdi>
            )}
          </dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>
            <code>{status}</code> <span class="soft">since {exactTime(effectedAt, now)}</span>
          </dd>
        </div>
        <div>
          <dt>Sent at</dt>
          <dd>{exactTime(createdAt, now)}</dd>
        </div>
        {sendAt > 0 && (
          <div>
            <dt>Scheduled for</dt>
            <dd>{exactTime(sendAt, now)}</dd>
          </div>
        )}
        <div>
          <dt>Segments</dt>
          <dd>{segments}</dd>
        </div>
      </dl>
      <details>
        <summary>As JSON</summary>
        {codeBox('json', JSON.stringify(inFull(view), null, 2), 'wrap')}
      </details>
    </section>
  )
}

/** The ways in which a carrier can report a failure. */
const FAILURES = ['undelivered', 'expired', 'rejected', 'failed'] as const satisfies readonly CarrierVerdict[]

/** Numbers for which the simulated carrier sends no receipt. */
const SILENT = '00005'

/** In the sandbox the person may send the receipt that the carrier has not sent. */
function tellForm({ message: { id, recipient }, form, q }: PaneView): Markup {
  const why = recipient.endsWith(SILENT) ? (
    <>
      <span class="strong">It waits to be told.</span> Numbers that end in <code>{SILENT}</code> do.
    </>
  ) : (
    <>
      <span class="strong">It is under way.</span> You need not wait for the carrier.
    </>
  )
  const ways = FAILURES.map((one) => <option value={one}>{wordOf(one).toLowerCase()}</option>)
  return (
    <form class="note warn together" method="post" action={`/messages/${id}/tell`}>
      {ticketField(form)}
      <input type="hidden" name="q" value={q} />
      <span>{why}</span>
      <span class="end">
        <button class="tiny" name="verdict" value="success">
          Deliver now
        </button>
        <label class="unseen" for="how">
          Fail as
        </label>
        <select class="box short" id="how" name="how">
          {ways}
        </select>
        <button class="second tiny" name="verdict" value="failure">
          Fail now
        </button>
      </span>
    </form>
  )
}
