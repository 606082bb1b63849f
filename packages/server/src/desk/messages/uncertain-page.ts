import { span } from '@wigwag/contract'
import type { AccountRow } from '../../accounts/index.ts'
import type { EarlyReceipt, UncertainMessage, UncertainSum } from '../../delivery/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { countOf, several } from '../../pages/count.ts'
import { listTime } from '../../pages/times.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import type { Mistake } from '../../platform/csv.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import type { Run } from './decisions.ts'
import type { Plan } from './plan.ts'
import { nothing } from './waiting-page.ts'
import { customer, heldOf, partInWords, pathOf, ROWS, tableSheet } from './words.ts'

export interface UncertainView {
  /** One more than are shown, if there are more. */
  messages: readonly UncertainMessage[]
  /** The receipts without a message that may be of these. */
  receipts: ReadonlyMap<string, readonly EarlyReceipt[]>
  sums: readonly UncertainSum[]
  accounts: ReadonlyMap<string, AccountRow>
  carrier: string
  isFirst: boolean
  now: EpochMs
  run?: Run | undefined
  wrong?: { text: string; mistakes: readonly Mistake[] } | undefined
}

export const PATH = '/messages/uncertain'

/** The messages whose carrier never said whether it took them, and the ways to decide about them. */
export function uncertainPage(visit: Visit, view: UncertainView): Page {
  const { sums, run, wrong, messages } = view
  const mayAct = visit.operator.role === 'act'
  const isRunning = run && !run.result && !run.hasFailed
  return {
    title: 'Uncertain messages',
    place: 'messages',
    status: wrong ? 422 : 200,
    ...(isRunning && { headers: { refresh: '3' } }),
    body: markup`<div class="head"><h1>Uncertain messages</h1><span class="end"><a href="/messages">All lists</a></span></div>
${run && runNote(run)}${wrong && wrongNote(wrong)}
<p>They were handed to a carrier that never said whether it took them. None is sent again, because it could arrive twice. A late answer ends one, or the only receipt to its number, or the end of its validity, or you do, once the carrier was asked.</p>
${sums.length === 0 ? nothing('No message is uncertain.') : carriersSheet(view)}
${messages.length > 0 && list(visit, view, mayAct)}
${mayAct && sums.length > 0 && markup`<div class="grid">${ofCarrierForm(visit, view)}${listForm(visit, view)}</div>`}`,
  }
}

function runNote({ total, done, result, hasFailed }: Run): Markup {
  if (hasFailed)
    return markup`<div class="note bad" role="alert"><p>It was broken off after ${countOf(done)} of ${several(total, 'message')}. What was decided stays so; decide about the rest again.</p></div>`
  if (!result)
    return markup`<div class="note" role="status"><p>${countOf(done)} of ${several(total, 'message')} are decided. This goes on when the page is closed; it looks again every three seconds.</p></div>`
  return markup`<div class="note good" role="status"><p>${several(result.settled, 'message was', 'messages were')} decided.${result.left > 0 && ` ${several(result.left, 'was', 'were')} not uncertain any more, and nothing was changed about ${result.left === 1 ? 'it' : 'them'}.`}</p></div>`
}

/** The lines of a file that are shown. */
const MOST_LINES = 20

function wrongNote({ text, mistakes }: NonNullable<UncertainView['wrong']>): Markup {
  const sorted = [...mistakes].sort((a, b) => a.line - b.line)
  const more = sorted.length - MOST_LINES
  return markup`<div class="note bad" role="alert"><p>${text}</p>${sorted.length > 0 && markup`<ul class="bullets">${sorted.slice(0, MOST_LINES).map(({ line, why }) => markup`<li>Line ${line}: ${why}</li>`)}${more > 0 && markup`<li>And ${several(more, 'line')} more.</li>`}</ul>`}</div>`
}

function carriersSheet({ sums, carrier }: UncertainView): Markup {
  const rows = [...Map.groupBy(sums, (sum) => sum.carrier)].map(([name, of]) => {
    const held = [...heldOf(of)].map(([currency, amount]) => money(amount, currency)).join(' and ')
    const messages = of.reduce((total, sum) => total + sum.messages, 0)
    const isShown = name === carrier
    return markup`<tr><th scope="row" class="plain"><a href="${PATH}?${new URLSearchParams({ carrier: name }).toString()}"${isShown && markup` aria-current="true"`}><bdi>${name}</bdi></a></th><td class="num">${countOf(messages)}</td><td class="num">${held}</td></tr>`
  })
  return tableSheet({
    label: 'Uncertain messages by carrier',
    head: ['Carrier', { num: 'Messages' }, { num: 'Held for them' }],
    rows,
    pages: carrier !== '' && markup`<a href="${PATH}">Those of all carriers</a>`,
  })
}

function list(visit: Visit, view: UncertainView, mayAct: boolean): Markup {
  const { messages, receipts, accounts, carrier, isFirst, now } = view
  const shown = messages.slice(0, ROWS)
  const of = (more: Record<string, string>) =>
    `${PATH}?${new URLSearchParams({ ...(carrier !== '' && { carrier }), ...more })}`
  const hasReceipts = receipts.size > 0
  const rows = shown.map(
    ({ ticket, carrier: name, accountId, recipient, price, currency, handedAt, expiresAt }) =>
      markup`<tr>${mayAct && markup`<td><label class="choice"><input type="checkbox" name="ticket" value="${ticket}"><span class="unseen">Decide about the message to ${recipient}</span></label></td>`}<th scope="row" class="plain"><a href="${pathOf(ticket)}">${phoneNumber(recipient)}</a></th><td class="num">${span(now - handedAt)}</td><td class="num">${listTime(expiresAt, now)}</td><td class="num">${money(price, currency)}</td>${hasReceipts && markup`<td>${receiptsCell(ticket, receipts.get(ticket) ?? [], { mayAct, now })}</td>`}<td><bdi>${name}</bdi></td><td>${customer(accountId, accounts)}</td></tr>`,
  )
  const pages =
    (!isFirst || messages.length > ROWS) &&
    markup`${!isFirst && markup`<a href="${of({})}">The oldest</a>`}${messages.length > ROWS && markup`<a class="end" href="${of({ after: shown.at(-1)?.ticket ?? '' })}">Younger ones</a>`}`
  const head = [
    ...['To', { num: 'Uncertain for' }, { num: 'Expires' }, { num: 'Held' }],
    ...(hasReceipts ? ['Receipts that may be its'] : []),
    ...['Carrier', 'Customer'],
  ]
  const table = tableSheet({
    label: 'Uncertain messages, oldest first',
    head: mayAct ? ['Decide', ...head] : head,
    rows,
    pages,
  })
  if (!mayAct) return table
  return markup`<form method="post" action="${PATH}/check">${hiddenFields(visit.form, {})}${table}
<div class="sheet"><p class="together"><span>Those with a mark were</span><button class="second" name="as" value="success">Delivered</button><button class="second" name="as" value="failed">Not delivered</button><span class="soft">Nothing is decided yet. The next page says what it would charge or give back.</span></p></div></form>`
}

const VERDICTS: Readonly<Record<EarlyReceipt['verdict'], string>> = {
  success: 'delivered',
  undelivered: 'not delivered',
  expired: 'expired',
  rejected: 'rejected',
  failed: 'failed',
}

/** Receipts to a message's number that name no message, each with a button that takes it as the message's. */
function receiptsCell(
  ticket: string,
  receipts: readonly EarlyReceipt[],
  { mayAct, now }: { mayAct: boolean; now: EpochMs },
): Markup {
  return markup`${receipts.map(({ ref, verdict, at }) => {
    const words = markup`<bdi class="mono">${ref}</bdi> ${VERDICTS[verdict]}, ${listTime(at, now)}`
    return mayAct
      ? markup`<button class="second tiny" name="receipt" value="${ticket} ${ref}">${words}</button> `
      : markup`<span>${words}</span> `
  })}`
}

function carrierField(id: string, { sums, carrier }: UncertainView, any: string | undefined): Markup {
  const names = [...new Set(sums.map((sum) => sum.carrier))]
  return field(
    { id, label: 'Carrier' },
    (ties) =>
      markup`<select class="box" ${ties} name="carrier">${any !== undefined && markup`<option value="">${any}</option>`}${names.map((name) => markup`<option${name === carrier && markup` selected`}>${name}</option>`)}</select>`,
  )
}

function ofCarrierForm({ form }: Visit, view: UncertainView): Markup {
  return markup`<section class="sheet"><h2>All of a carrier</h2><p>If it took none of them, or all of them: those that are uncertain when you press.</p><form method="post" action="${PATH}/check">${hiddenFields(form, { by: 'carrier' })}${carrierField('all-carrier', view, undefined)}
${field({ id: 'until', label: 'Handed over before', hint: 'Such as 6h, or a time in UTC; empty for now' }, (ties) => markup`<input class="box" ${ties} name="until" autocomplete="off">`)}
<p class="together"><button class="second" name="as" value="success">All were delivered</button><button class="second" name="as" value="failed">None was delivered</button></p></form></section>`
}

function listForm({ form }: Visit, view: UncertainView): Markup {
  return markup`<section class="sheet"><h2>By the carrier’s list</h2><p>A CSV file with the columns reference and status, or to, time and status. A reference is our ticket, or the carrier’s own; the time is when the carrier took the message, in UTC; a status is delivered or failed, undelivered, rejected or expired. A column message_id may say what the carrier calls it.</p><p><a href="${PATH}/file.csv?${new URLSearchParams({ carrier: view.carrier }).toString()}">Download the list for the carrier</a> ${view.carrier === '' ? 'has those of all carriers: choose one above first.' : markup`has those of <bdi>${view.carrier}</bdi>.`}</p><form method="post" action="${PATH}/check" enctype="multipart/form-data">${hiddenFields(form, { by: 'list' })}
${field({ id: 'file', label: 'File', hint: 'At most 1 MiB' }, (ties) => markup`<input class="box" type="file" ${ties} name="file" accept=".csv,.txt,text/csv,text/plain" required>`)}
${carrierField('list-carrier', view, 'Whichever has them')}
<p><button class="second">See what it would decide</button></p></form></section>`
}

const MOST_NAMES = 10

/** Says what would be decided, before it is. */
export function decidePage(
  { form }: Visit,
  plan: Plan,
  back: string,
  reason: { typed?: string; problem?: string | undefined } = {},
): Page {
  const { parts, carriers, others, unknown, carried, total } = plan
  const [only] = parts
  const names = unknown.slice(0, MOST_NAMES)
  const hidden = [[form.name, form.value] as const, ...carried].map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  )
  return {
    title: 'Decide',
    place: 'messages',
    status: reason.problem === undefined ? 200 : 422,
    middle: true,
    body: markup`<div class="head"><h1>${total === 0 ? 'Nothing is to be decided' : `Decide about ${several(total, 'message')}?`}</h1></div>
<section class="sheet">${
      total > 0 &&
      markup`<p class="strong">This can’t be undone.</p><ul class="bullets">${parts.map((part) => markup`<li>${partInWords(part)}.</li>`)}</ul>
<p>Of ${carriers.length === 1 ? 'the carrier' : 'the carriers'} <bdi>${carriers.join(', ')}</bdi>. The customers are told as if the carrier had said it.</p>`
    }
${others > 0 && markup`<p>${several(others, 'is', 'are')} not uncertain any more, and ${others === 1 ? 'is' : 'are'} left as ${others === 1 ? 'it is' : 'they are'}.</p>`}
${unknown.length > 0 && markup`<p>${several(unknown.length, 'row names', 'rows name')} no message under way: <bdi class="mono">${names.join(', ')}</bdi>${unknown.length > names.length && ` and ${countOf(unknown.length - names.length)} more`}.</p>`}
${
  total === 0
    ? markup`<p><a class="button second" href="${back}">Back</a></p>`
    : markup`<form method="post" action="${PATH}/settle">${hidden}
${field({ id: 'reason', label: 'Reason', hint: 'For the audit log; may be empty', error: reason.problem }, (ties) => markup`<input class="box" ${ties} name="reason" value="${reason.typed ?? ''}" maxlength="500" autocomplete="off">`)}
${ending(markup`<button class="danger">${parts.length === 1 && only ? `Decide: ${only.status === 'success' ? 'delivered' : 'failed'}` : `Decide about ${several(total, 'message')}`}</button>`, back)}</form>`
}</section>`,
  }
}
