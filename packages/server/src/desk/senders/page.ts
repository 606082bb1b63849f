import type { EpochMs } from '../../domain/ids.ts'
import { countOf, several } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { listTime } from '../../pages/times.ts'
import type { SenderStatus } from '../../platform/http/principal.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { pathOf } from '../customers/words.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import type { Waiting, WaitingList } from './read.ts'

export interface ListView extends WaitingList {
  visit: Visit
  now: EpochMs
  /** Whether the page begins later than with the oldest. */
  isLater: boolean
  /** What was just done, or had been. */
  done: { sender: string; status: string; isNew: boolean } | undefined
}

export function listPage(view: ListView): Page {
  const { items, count, next, isLater, done } = view
  return {
    title: 'Sender IDs',
    place: 'senders',
    body: markup`<div class="head"><h1>Sender IDs</h1><span class="soft">${count === 0 ? 'None waits' : `${several(count, 'waits', 'wait')}, the oldest first`}</span></div>
${done && said(done)}
${items.length === 0 ? markup`<section class="sheet"><p>No sender ID waits for a decision. Those of a customer are on its page.</p></section>` : markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Sender IDs that wait"><table class="stacked" role="table"><caption class="unseen">Sender IDs that wait, the oldest first</caption><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Sender ID</th><th role="columnheader" scope="col">Who asks</th><th role="columnheader" scope="col" class="num">Since</th><th role="columnheader" scope="col">Alike, and whose</th>${view.visit.operator.role === 'act' && markup`<th role="columnheader" scope="col"><span class="unseen">Decide</span></th>`}</tr></thead><tbody role="rowgroup">${items.map((item) => line(item, view))}</tbody></table>${(next !== undefined || isLater) && markup`<div class="pages">${isLater && markup`<a href="/senders">The oldest</a>`}${next !== undefined && markup`<a class="end" href="/senders?${new URLSearchParams({ after: next }).toString()}">Those after</a>`}</div>`}</section>`}`,
  }
}

function said({ sender, status, isNew }: NonNullable<ListView['done']>): Markup {
  return markup`<div class="note ${isNew ? 'good' : 'warn'}" role="status"><p>${isNew ? markup`<bdi>${sender}</bdi> is ${status}.` : markup`<bdi>${sender}</bdi> is ${status} already. Nothing was changed now.`}</p></div>`
}

function line({ row, alike, moreAlike }: Waiting, { visit, now }: ListView): Markup {
  const { sender, accountId, name, createdAt } = row
  const values = { account: accountId, sender }
  const decide =
    visit.operator.role === 'act' &&
    markup`<td role="cell"><div class="together"><form method="post" action="/senders/approve" class="inline">${hiddenFields(visit.form, values)}<button class="tiny">Approve<span class="unseen"> ${sender} of ${name}</span></button></form><a class="button second tiny" href="/senders/reject?${new URLSearchParams(values).toString()}">Reject<span class="unseen"> ${sender} of ${name}</span></a></div></td>`
  return markup`<tr role="row"><th role="rowheader" scope="row" class="plain strong"><bdi>${sender}</bdi></th><td role="cell" class="plain"><a href="${pathOf({ id: accountId })}"><bdi>${name}</bdi></a></td><td role="cell" class="num">${listTime(createdAt, now)}</td><td role="cell" class="plain">${alike.length === 0 ? markup`<span class="soft">none</span>` : alike.map((other) => likeness(other, row))}${moreAlike > 0 && markup`<div class="soft">and ${countOf(moreAlike)} more</div>`}</td>${decide}</tr>`
}

const WORDS = { approved: 'approved', pending: 'waits too', rejected: 'rejected' }

/** One that belongs to somebody else and may send is what an operator should see first. */
function likeness(other: Waiting['row'], row: Waiting['row']): Markup {
  const isTheirs = other.accountId === row.accountId
  const isRisk = !isTheirs && other.status === 'approved'
  return markup`<div><span class="state${isRisk && ' bad'}">${isRisk && icon('triangle')}<bdi class="strong">${other.sender}</bdi></span> <span class="soft">${WORDS[other.status]},</span> ${isTheirs ? 'its own' : markup`<a href="${pathOf({ id: other.accountId })}"><bdi>${other.name}</bdi></a>`}</div>`
}

export interface RejectView {
  visit: Visit
  account: { id: string; name: string }
  sender: string
  seen: SenderStatus
  typed?: string | undefined
  problem?: string | undefined
}

export function rejectPage({ visit, account, sender, seen, typed = '', problem }: RejectView): Page {
  return {
    title: 'Reject',
    place: 'senders',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: markup`<div class="head"><h1>Reject <bdi>${sender}</bdi>?</h1></div>
<section class="sheet narrow"><p><a href="${pathOf(account)}"><bdi>${account.name}</bdi></a> can’t send from it then, and sees the reason on its page of sender IDs. It can be approved later, on the customer’s page.</p>
<form method="post" action="/senders/reject">${hiddenFields(visit.form, { account: account.id, sender, seen })}
${field({ id: 'reason', label: 'Reason', hint: 'The customer sees it; so does the audit log', error: problem }, (ties) => markup`<input class="box" ${ties} name="reason" value="${typed}" maxlength="500" autocomplete="off" required>`)}
${ending(markup`<button class="danger">Reject this sender ID</button>`, seen === 'pending' ? '/senders' : pathOf(account))}</form></section>`,
  }
}
