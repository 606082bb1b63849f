import { type Micros, span } from '@wigwag/contract'
import { type AccountRow, isErased } from '../../../accounts/index.ts'
import { describeRoute, isOwnRef } from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { isFinal, settlementOf } from '../../../kernel/message.ts'
import type { FollowedMessage } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { RoutedHere } from '../../../operate/doctor/index.ts'
import { stepsSheet } from '../../message-steps/steps.tsx'
import { dayAndTime, exactTime, phoneTime } from '../../times.tsx'
import { amountOf, money } from '../../widgets/money.tsx'
import { countryName, phone, phoneNumber } from '../../widgets/phone.tsx'
import { statusMark } from '../../widgets/state.tsx'
import { pathOf as customerPath } from '../customers/words.tsx'
import { hiddenFields } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'
import { callbackSheets } from './callbacks.tsx'
import { pathOf } from './words.tsx'

export interface MessageView {
  followed: FollowedMessage
  account: AccountRow | undefined
  routed: RoutedHere
  now: EpochMs
  /** The change that was just made, in a sentence. */
  done: string | undefined
}

/** A message: where it is, what its customer sees, and what only operators do. */
export function messagePage(visit: Visit, view: MessageView): Page {
  const { followed, now, done } = view
  const { message, carrier, failureReason, timeline, waiting, callbacks, currency } = followed
  const { recipient, status, network, country } = message
  const place = [network ?? '', countryName(country)].filter((part) => part !== '').join(', ')
  const steps = { message, carrier, failureReason, timeline, waiting, currency, now }
  return {
    title: `To ${recipient}`,
    place: 'messages',
    body: (
      <>
        <div class="head">
          <a class="back" href="/messages">
            <span aria-hidden="true">← </span>Messages
          </a>
          <h1>
            <span class="unseen">Message to </span>
            {phoneNumber(recipient)}
          </h1>
          {statusMark(status, 'strong')}
          <span class="soft">{place}</span>
        </div>
        {done !== undefined && (
          <div class="note good" role="status">
            <p>{done}</p>
          </div>
        )}
        <section class="sheet">
          <p class="strong">{whereItIs(view)}</p>
          {waiting?.unconfirmedSince !== undefined && decision(visit, message.id)}
        </section>
        <div class="holds">
          <div class="detail">
            {stepsSheet({ ...steps, references: theirs(followed), callback: callbacks.at(-1) })}
            {facts(view)}
            {moneySheet(view)}
            {carrierSheet(view)}
            {textSheet(visit, view)}
            {callbackSheets(visit, view)}
          </div>
        </div>
      </>
    ),
  }
}

const theirs = ({ references }: FollowedMessage) => references.filter((ref) => !isOwnRef(ref))

/** Where the message is, as a sentence. */
function whereItIs({ followed, now }: MessageView): Markup {
  const { message, waiting, carrier, failureReason } = followed
  const { status, effectedAt } = message
  const whom = carrier === undefined ? 'a carrier' : <bdi>{carrier}</bdi>
  if (!waiting) {
    if (status === 'success') return <>It was delivered: {dayAndTime(effectedAt)}.</>
    const why = failureReason !== undefined && (
      <>
        {' '}
        <bdi>{failureReason}</bdi>
      </>
    )
    return (
      <>
        It is over and did not arrive: {dayAndTime(effectedAt)}.{why}
      </>
    )
  }
  const { attempts, nextAt, expiresAt, unconfirmedSince } = waiting
  const until = <>It expires {dayAndTime(expiresAt)}.</>
  if (waiting.for === 'scheduled') return <>It waits for its time, {dayAndTime(message.sendAt)}.</>
  if (unconfirmedSince !== undefined)
    return (
      <>
        It has been uncertain for {span(now - unconfirmedSince)}: {whom} never said whether it took it. It is
        not sent again, because it could arrive twice. {until}
      </>
    )
  if (waiting.for === 'await')
    return (
      <>
        It waits for the receipt of {whom}, which took it. {until}
      </>
    )
  const tried = attempts === 0 ? '' : ` It was not taken ${attempts === 1 ? 'once' : `${attempts} times`}.`
  const next =
    nextAt === undefined
      ? 'It is under way now.'
      : nextAt > now && <>The next try is in {span(nextAt - now)}.</>
  return (
    <>
      It waits to be handed to {whom}.{tried} {next} {until}
    </>
  )
}

/** Buttons to decide an uncertain message. */
function decision({ operator, form }: Visit, ticket: string): Markup | false {
  if (operator.role !== 'act') return false
  return (
    <form method="post" action="/messages/uncertain/check">
      {hiddenFields(form, { ticket, from: 'message' })}
      <p class="together">
        <span>Once the carrier was asked, decide how it ended:</span>
        <button class="second" name="as" value="success">
          Delivered
        </button>
        <button class="second" name="as" value="failed">
          Not delivered
        </button>
      </p>
    </form>
  )
}

const row = (name: string, value: Markup | string) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

function facts({ followed, account, now }: MessageView): Markup {
  const { message, email } = followed
  const { id, accountId, sender, reference, segments, encoding, createdAt, sendAt } = message
  const name = account && !isErased(account) ? <bdi>{account.name}</bdi> : (email ?? accountId)
  return (
    <section class="sheet">
      <h2>Details</h2>
      <dl class="facts">
        {row('Customer', <a href={customerPath({ id: accountId })}>{name}</a>)}
        {row('Ticket', <span class="mono">{id}</span>)}
        {row(
          'Reference',
          reference === '' ? <span class="soft">none</span> : <bdi class="mono">{reference}</bdi>,
        )}
        {row('Sender', <bdi>{sender}</bdi>)}
        {row('Segments', `${segments}, ${encoding}`)}
        {row('Accepted', exactTime(createdAt, now))}
        {sendAt > 0 && row('Scheduled for', exactTime(sendAt, now))}
      </dl>
    </section>
  )
}

function moneySheet({ followed, routed: { cost } }: MessageView): Markup {
  const { message, currency } = followed
  const { status, price } = message
  const kind = !isFinal(status) ? 'held' : settlementOf(status) === 'post' ? 'charged' : 'released'
  return (
    <section class="sheet">
      <h2>Money</h2>
      <dl class="facts">
        {row(
          'Price',
          <>
            {money(price, currency)} <span class="soft">{kind}</span>
          </>,
        )}
        {row(
          'Carrier’s cost',
          cost === undefined ? (
            <span class="soft">not known: no carrier took it, or the routes don’t say it</span>
          ) : (
            costOf(cost)
          ),
        )}
      </dl>
    </section>
  )
}

/** Routes say costs in a currency of the operator's own. */
function costOf(cost: Micros): Markup {
  return (
    <>
      {amountOf(cost)} <span class="soft">as the routes say now</span>
    </>
  )
}

function carrierSheet({ followed, routed: { route }, now }: MessageView): Markup {
  const { message, carrier, submittedAt, waiting } = followed
  const references = theirs(followed)
  const said = message.failureReason
  const tried = waiting && (waiting.for === 'dispatch' || waiting.for === 'await') && waiting.attempts > 0
  const ways = route?.ways.map(({ name }) => name).join(', then ') ?? ''
  return (
    <section class="sheet">
      <h2>Carrier</h2>
      <dl class="facts">
        {row('Carrier', carrier === undefined ? <span class="soft">none yet</span> : <bdi>{carrier}</bdi>)}
        {row(
          'Its references',
          references.length === 0 ? (
            <span class="soft">none</span>
          ) : (
            <bdi class="mono">{references.join(' ')}</bdi>
          ),
        )}
        {row(
          'Handed over',
          submittedAt === 0 ? <span class="soft">not yet, or not known</span> : exactTime(submittedAt, now),
        )}
        {tried &&
          row(
            waiting.for === 'await' ? 'Asked about it' : 'Not taken',
            `${waiting.attempts} ${waiting.attempts === 1 ? 'time' : 'times'}`,
          )}
        {said !== null && row('It said', <bdi>{said}</bdi>)}
        {row(
          'Route now',
          route ? (
            <>
              <bdi>{describeRoute(route)}</bdi>{' '}
              <span class="soft">
                to <bdi>{ways}</bdi>
              </span>
            </>
          ) : (
            <span class="soft">none takes it</span>
          ),
        )}
      </dl>
    </section>
  )
}

/** The text as a phone shows it, once somebody opened it. */
function textSheet({ form }: Visit, { followed, now }: MessageView): Markup {
  const { message, content } = followed
  const { id, sender, status, effectedAt, encoding } = message
  if (content === undefined)
    return (
      <section class="sheet">
        <h2>Text</h2>
        <p class="soft">It is covered. The audit log keeps that you opened it.</p>
        <form method="post" action={pathOf(id, '/text')}>
          {hiddenFields(form, {})}
          <p>
            <button class="second tiny">Open the text</button>
          </p>
        </form>
      </section>
    )
  const time = status === 'success' ? phoneTime(effectedAt, now) : 'not delivered'
  return (
    <section class="sheet" aria-label="Text">
      <h2>Text</h2>
      {phone({ sender, time, content, encoding })}
    </section>
  )
}
