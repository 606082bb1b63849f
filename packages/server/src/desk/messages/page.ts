import type { Micros } from '@wigwag/contract'
import { span } from '@wigwag/contract'
import { type AccountRow, isErased } from '../../accounts/index.ts'
import { isSpent, MOST_REPLAYS } from '../../callbacks/index.ts'
import { describeRoute, isOwnRef } from '../../delivery/index.ts'
import type { RoutedHere } from '../../doctor/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { isFinal, settlementOf } from '../../domain/message.ts'
import type { FollowedMessage } from '../../history/index.ts'
import { icon } from '../../pages/icons.ts'
import { stepsSheet } from '../../pages/message-steps/steps.ts'
import { dayAndTime, exactTime, phoneTime } from '../../pages/times.ts'
import { type Attempt, answerInShort, answerWords, shownUrl } from '../../pages/widgets/answer.ts'
import { countryName } from '../../pages/widgets/country.ts'
import { phone, phoneNumber } from '../../pages/widgets/phone.ts'
import { callbackMark, statusMark } from '../../pages/widgets/state.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { pathOf as customerPath } from '../customers/words.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { hiddenFields } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import { pathOf } from './words.ts'

export interface MessageView {
  followed: FollowedMessage
  account: AccountRow | undefined
  routed: RoutedHere
  now: EpochMs
  /** What was just done. */
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
    body: markup`<div class="head"><a class="back" href="/messages"><span aria-hidden="true">← </span>Messages</a><h1><span class="unseen">Message to </span>${phoneNumber(recipient)}</h1>${statusMark(status, 'strong')}<span class="soft">${place}</span></div>
${done !== undefined && markup`<div class="note good" role="status"><p>${done}</p></div>`}
<section class="sheet"><p class="strong">${whereItIs(view)}</p>${waiting?.unconfirmedSince !== undefined && decision(visit, message.id)}</section>
<div class="holds"><div class="detail">
${stepsSheet({ ...steps, references: theirs(followed), callback: callbacks.at(-1) })}
${facts(view)}
${moneySheet(view)}
${carrierSheet(view)}
${textSheet(visit, view)}
${callbackSheets(visit, view)}
</div></div>`,
  }
}

const theirs = ({ references }: FollowedMessage) => references.filter((ref) => !isOwnRef(ref))

/** Where the message is, as a sentence. */
function whereItIs({ followed, now }: MessageView): Markup {
  const { message, waiting, carrier, failureReason } = followed
  const { status, effectedAt } = message
  const whom = carrier === undefined ? 'a carrier' : markup`<bdi>${carrier}</bdi>`
  if (!waiting) {
    if (status === 'success') return markup`It was delivered: ${dayAndTime(effectedAt)}.`
    const why = failureReason !== undefined && markup` <bdi>${failureReason}</bdi>`
    return markup`It is over and did not arrive: ${dayAndTime(effectedAt)}.${why}`
  }
  const { attempts, nextAt, expiresAt, unconfirmedSince } = waiting
  const until = markup`It expires ${dayAndTime(expiresAt)}.`
  if (waiting.for === 'scheduled') return markup`It waits for its time, ${dayAndTime(message.sendAt)}.`
  if (unconfirmedSince !== undefined)
    return markup`It has been uncertain for ${span(now - unconfirmedSince)}: ${whom} never said whether it took it. It is not sent again, because it could arrive twice. ${until}`
  if (waiting.for === 'await') return markup`It waits for the receipt of ${whom}, which took it. ${until}`
  const tried = attempts === 0 ? '' : ` It was not taken ${attempts === 1 ? 'once' : `${attempts} times`}.`
  const next =
    nextAt === undefined
      ? 'It is under way now.'
      : nextAt > now && markup`The next try is in ${span(nextAt - now)}.`
  return markup`It waits to be handed to ${whom}.${tried} ${next} ${until}`
}

/** What an operator may say of an uncertain message. */
function decision({ operator, form }: Visit, ticket: string): Markup | false {
  if (operator.role !== 'act') return false
  return markup`<form method="post" action="/messages/uncertain/check">${hiddenFields(form, { ticket, from: 'message' })}<p class="together"><span>Once the carrier was asked, decide how it ended:</span><button class="second" name="as" value="success">Delivered</button><button class="second" name="as" value="failed">Not delivered</button></p></form>`
}

const row = (name: string, value: Markup | string) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`

function facts({ followed, account, now }: MessageView): Markup {
  const { message, email } = followed
  const { id, accountId, sender, reference, segments, encoding, createdAt, sendAt } = message
  const name = account && !isErased(account) ? markup`<bdi>${account.name}</bdi>` : (email ?? accountId)
  return markup`<section class="sheet"><h2>Details</h2><dl class="facts">${row('Customer', markup`<a href="${customerPath({ id: accountId })}">${name}</a>`)}${row('Ticket', markup`<span class="mono">${id}</span>`)}${row('Reference', reference === '' ? markup`<span class="soft">none</span>` : markup`<bdi class="mono">${reference}</bdi>`)}${row('Sender', markup`<bdi>${sender}</bdi>`)}${row('Segments', `${segments}, ${encoding}`)}${row('Accepted', exactTime(createdAt, now))}${sendAt > 0 && row('Scheduled for', exactTime(sendAt, now))}</dl></section>`
}

function moneySheet({ followed, routed: { cost } }: MessageView): Markup {
  const { message, currency } = followed
  const { status, price } = message
  const kind = !isFinal(status) ? 'held' : settlementOf(status) === 'post' ? 'charged' : 'given back'
  return markup`<section class="sheet"><h2>Money</h2><dl class="facts">${row('Price', markup`${money(price, currency)} <span class="soft">${kind}</span>`)}${row('Carrier’s cost', cost === undefined ? markup`<span class="soft">not known: no carrier took it, or the routes don’t say it</span>` : costOf(cost))}</dl></section>`
}

/** Routes say costs in a currency of the operator's own. */
function costOf(cost: Micros): Markup {
  return markup`${money(cost, '').trim()} <span class="soft">as the routes say now</span>`
}

function carrierSheet({ followed, routed: { route }, now }: MessageView): Markup {
  const { message, carrier, submittedAt, waiting } = followed
  const references = theirs(followed)
  const said = message.failureReason
  const tried = waiting && (waiting.for === 'dispatch' || waiting.for === 'await') && waiting.attempts > 0
  const ways = route?.ways.map(({ name }) => name).join(', then ') ?? ''
  return markup`<section class="sheet"><h2>Carrier</h2><dl class="facts">${row('Carrier', carrier === undefined ? markup`<span class="soft">none yet</span>` : markup`<bdi>${carrier}</bdi>`)}${row('Its references', references.length === 0 ? markup`<span class="soft">none</span>` : markup`<bdi class="mono">${references.join(' ')}</bdi>`)}${row('Handed over', submittedAt === 0 ? markup`<span class="soft">not yet, or not known</span>` : exactTime(submittedAt, now))}${tried && row(waiting.for === 'await' ? 'Asked about it' : 'Not taken', `${waiting.attempts} ${waiting.attempts === 1 ? 'time' : 'times'}`)}${said !== null && row('It said', markup`<bdi>${said}</bdi>`)}${row('Route now', route ? markup`<bdi>${describeRoute(route)}</bdi> <span class="soft">to <bdi>${ways}</bdi></span>` : markup`<span class="soft">none takes it</span>`)}</dl></section>`
}

/** The text as a phone shows it, once somebody opened it. */
function textSheet({ form }: Visit, { followed, now }: MessageView): Markup {
  const { message, content } = followed
  const { id, sender, status, effectedAt, encoding } = message
  if (content === undefined)
    return markup`<section class="sheet"><h2>Text</h2><p class="soft">It is covered. The audit log keeps that you opened it.</p><form method="post" action="${pathOf(id, '/text')}">${hiddenFields(form, {})}<p><button class="second tiny">Open the text</button></p></form></section>`
  const time = status === 'success' ? phoneTime(effectedAt, now) : 'not delivered'
  return markup`<section class="sheet" aria-label="Text"><h2>Text</h2>${phone({ sender, time, content, encoding })}</section>`
}

function callbackSheets(visit: Visit, view: MessageView): Markup {
  const { message, callbacks } = view.followed
  if (callbacks.length > 0)
    return markup`${callbacks.map((callback) => callbackSheet(visit, view, callback))}`
  const none =
    message.callbackUrl === null
      ? 'None: the message named no URL.'
      : markup`${isFinal(message.status) ? 'None was kept; it was to be posted to' : 'Posted when the message is final, to'} <span class="mono">${shownUrl(message.callbackUrl)}</span>`
  return markup`<section class="sheet"><h2>Callback</h2><p class="soft">${none}</p></section>`
}

function callbackSheet(
  { operator, form }: Visit,
  { followed, now }: MessageView,
  callback: FollowedMessage['callbacks'][number],
): Markup {
  const { state, url, attempts, nextAttemptAt } = callback
  const last = attempts.at(-1)?.seq ?? 0
  const isDue = nextAttemptAt !== undefined && nextAttemptAt <= now
  const again = isSpent(callback, now)
    ? markup`<span class="soft small">Posted again ${MOST_REPLAYS} times today; possible again after midnight UTC.</span>`
    : markup`<form method="post" action="${pathOf(followed.message.id, '/callback')}">${hiddenFields(form, { seen: String(last) })}<button class="second tiny">${icon('again')}Post it again</button></form>`
  const next = isDue
    ? 'It is posted now.'
    : nextAttemptAt !== undefined && markup`The next attempt is in ${span(nextAttemptAt - now)}.`
  const more = (attempts[0]?.seq ?? 1) - 1
  return markup`<section class="sheet"><div class="head"><h2>Callback</h2>${callbackMark(state)}<span class="soft small"><span class="mono">${shownUrl(url)}</span></span>${operator.role === 'act' && !isDue && markup`<span class="end">${again}</span>`}</div>
${(next || attempts.length === 0) && markup`<p class="soft">${attempts.length === 0 && 'It was not posted yet. '}${next}</p>`}${attempts.toReversed().map((attempt, index) => attemptFold(attempt, index === 0))}${more > 0 && markup`<p class="soft">And ${more} before these.</p>`}</section>`
}

function attemptFold(attempt: Attempt & { startedAt: number }, open: boolean): Markup {
  const { errorClass, seq, startedAt, reply } = attempt
  const mark =
    errorClass === null
      ? markup`<span class="state good">${icon('disc')}<span class="word">Delivered</span></span>`
      : markup`<span class="state bad">${icon('cross')}<span class="word">Failed</span></span>`
  return markup`<details${open && markup` open`}><summary>${mark}<span class="soft">attempt ${seq}</span><span class="nums">${answerInShort(attempt)}</span></summary><p class="soft small">${dayAndTime(startedAt)}</p><div class="code wrap"><pre tabindex="0">${answerWords(attempt)}${reply !== null && reply !== '' && markup`\n\n<bdi>${reply}</bdi>`}</pre></div></details>`
}
