import { formatAmount } from '@wigwag/contract'
import type { KeepOldFor, KeyKind, OwnKey } from '../../accounts/index.ts'
import { clientName, LONGEST_ADDRESS, theirWords } from '../../assistants/index.ts'
import type { Config } from '../../config.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import { countOf, several } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { dayAndTime, listTime } from '../../pages/times.ts'
import type { SenderStatus } from '../../platform/http/principal.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { Problems } from '../widgets/fields.ts'
import { hiddenFields } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import { secretBox } from './new-page.ts'
import type { Customer } from './read.ts'
import { entriesTable } from './statement-page.ts'
import { pathOf, stateOf } from './words.ts'

export interface CustomerView {
  customer: Customer
  visit: Visit
  now: EpochMs
  rateLimit: Config['rateLimit']
  /** What was just done. */
  done?: Markup | undefined
  /** What was wrong about the form of the threshold, and what was typed. */
  wrong?: Problems | undefined
  typed?: Problems | undefined
}

export function customerPage(view: CustomerView): Page {
  const { customer, now, done, wrong } = view
  const { account } = customer
  return {
    title: account.name,
    place: 'customers',
    status: wrong ? 422 : 200,
    body: markup`<div class="head"><h1><bdi>${account.name}</bdi></h1>${stateOf(account, now)}<span class="end">${actions(view)}</span></div>
${done && markup`<div class="note good" role="status"><p>${done}</p></div>`}
${figures(view)}
<div class="grid">${about(view)}${threshold(view)}</div>
${statement(view)}
<div class="grid">${keys(view)}${senders(view)}</div>
${assistants(view)}`,
  }
}

/** What leads on from here. Those who look have fewer. */
function actions({ customer: { account }, visit: { operator, form } }: CustomerView): Markup {
  const look = markup`<a class="button second" href="/messages?account=${account.id}">Its messages</a><a class="button second" href="${pathOf(account, '/console')}">Its console</a>`
  if (operator.role !== 'act') return look
  return markup`<a class="button" href="${pathOf(account, '/money')}">Add or take back money</a>${look}<a class="button second" href="${pathOf(account, '/standing')}">${account.status === 'active' ? 'Suspend' : 'Restore'}</a><form method="post" action="${pathOf(account, '/export')}" class="inline">${hiddenFields(form, {})}<button class="second">Export</button></form><a class="button second" href="${pathOf(account, '/erase')}">Erase</a>`
}

function figures({ customer: { wallets } }: CustomerView): Markup {
  return markup`${wallets.map((wallet) => {
    const { currency, held, posted, open, sentToday, warnBelow } = wallet
    const balance = available(wallet)
    const isLow = warnBelow !== undefined && balance < warnBelow
    const under = open.more
      ? 'for more than a thousand messages'
      : `for ${several(open.pending + open.scheduled, 'message')}`
    return markup`<dl class="sheet figures"><div><dt>Balance</dt><dd>${money(balance, currency)}${warnBelow !== undefined && markup`<small${isLow && markup` class="bad"`}>${isLow && 'It is low: '}warns below ${money(warnBelow, currency)}</small>`}</dd></div><div><dt>Held</dt><dd>${money(held, currency)}<small>${under}</small></dd></div><div><dt>Posted balance</dt><dd>${money(posted, currency)}<small>balance + held</small></dd></div><div><dt>Sent today</dt><dd>${countOf(sentToday)}</dd></div></dl>`
  })}`
}

function about({ customer, now, rateLimit }: CustomerView): Markup {
  const { account, clientIds, people, seenAt } = customer
  const row = (name: Markup | string, value: Markup | Markup[] | string) =>
    markup`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return markup`<section class="sheet"><h2>Who it is</h2><dl class="facts">${row('E-mail', markup`<bdi>${account.email}</bdi>`)}${row('Account ID', markup`<span class="mono">${account.id}</span>`)}${clientIds.map((id) => row('Client ID', markup`<span class="mono">${id}</span>`))}${row('Since', dayAndTime(account.createdAt))}${row('Last seen', seenAt === undefined ? 'Its programs never called' : listTime(seenAt, now))}${row(
    markup`<a href="${pathOf(account, '/people')}">People</a>`,
    people.map(
      ({ email, role, canSignIn }) =>
        markup`<bdi>${email}</bdi> <span class="soft">${role}${!canSignIn && ', can’t sign in yet'}</span><br>`,
    ),
  )}${row('Requests', rateLimit ? `${countOf(rateLimit.perSecond)} a second for each client, ${countOf(rateLimit.burst)} at once` : 'No limit')}</dl></section>`
}

function threshold({ customer, visit, wrong, typed }: CustomerView): Markup {
  const { account, wallets } = customer
  const [wallet] = wallets
  if (!wallet || visit.operator.role !== 'act') return markup``
  const { warnBelow, currency } = wallet
  const value = typed?.below ?? (warnBelow === undefined ? '' : formatAmount(warnBelow))
  return markup`<section class="sheet"><h2>When the wallet is low</h2><p>Metrics, the overview, the customer’s console and its webhook say so when less than this can be spent. ${warnBelow === undefined ? 'It is not watched.' : `Now: ${money(warnBelow, currency)}.`}</p>
<form method="post" action="${pathOf(account, '/warn')}">${hiddenFields(visit.form, {})}${field({ id: 'below', label: `Warn below, ${currency}`, hint: 'Such as 50; empty for never', error: wrong?.below }, (ties) => markup`<input class="box" ${ties} name="below" value="${value}" inputmode="decimal" autocomplete="off">`)}<p><button class="second">Save</button></p></form></section>`
}

function statement({ customer: { account, wallets, lines }, now }: CustomerView): Markup {
  const [wallet] = wallets
  if (!wallet || lines.length === 0)
    return markup`<section class="sheet"><h2>Statement</h2><p>No money was added yet.</p></section>`
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Newest entries">${entriesTable(lines, wallet, now)}<div class="pages"><a class="end" href="${pathOf(account, '/statement')}">The whole statement</a></div></section>`
}

const SENDER_LOOKS = {
  approved: ['good', 'disc', 'Approved'],
  pending: ['wait', 'clock', 'Waits'],
  rejected: ['bad', 'octagon', 'Rejected'],
} as const

function senders({ customer: { account, senders: rows }, visit, now }: CustomerView): Markup {
  if (rows.length === 0)
    return markup`<section class="sheet"><h2>Sender IDs</h2><p>It has none, so it can’t send.</p></section>`
  return markup`<section class="sheet flush"><table><caption class="unseen">Sender IDs</caption><thead><tr><th scope="col">Sender ID</th><th scope="col">State</th><th scope="col" class="num">Since</th></tr></thead><tbody>${rows.map(
    ({ sender, status, reason, createdAt }) => {
      const [tone, drawing, word] = SENDER_LOOKS[status]
      return markup`<tr><th scope="row" class="plain"><bdi>${sender}</bdi></th><td><span class="state ${tone}">${icon(drawing)}${word}</span>${reason !== null && markup`<br><span class="soft small"><bdi>${reason}</bdi></span>`}${visit.operator.role === 'act' && markup`<br>${otherwise({ account: account.id, sender, seen: status }, visit)}`}</td><td class="num">${listTime(createdAt, now)}</td></tr>`
    },
  )}</tbody></table></section>`
}

/** Leads to the other decision, or to where it is decided first. */
function otherwise(asked: { account: string; sender: string; seen: SenderStatus }, { form }: Visit): Markup {
  const which = markup`<span class="unseen"> ${asked.sender}</span>`
  switch (asked.seen) {
    case 'pending':
      return markup`<a href="/senders">Decide${which}</a>`
    case 'approved':
      return markup`<a href="/senders/reject?${new URLSearchParams(asked).toString()}">Reject${which}</a>`
    case 'rejected':
      return markup`<form method="post" action="/senders/approve" class="inline">${hiddenFields(form, asked)}<button class="link">Approve${which}</button></form>`
  }
}

const KEY_WORDS: Readonly<Record<KeyKind, string>> = {
  client: 'Client secret',
  wallet: 'Wallet token',
  callback: 'Callback secret',
}

/** For how long an old key works on. */
export const KEPT: readonly { keep: KeepOldFor; name: string }[] = [
  { keep: 'P1D', name: '24 hours more' },
  { keep: 'PT1H', name: '1 hour more' },
  { keep: 'P7D', name: '7 days more' },
  { keep: 'PT0S', name: 'not at all' },
]

function keys({ customer: { account, keys: all }, visit, now }: CustomerView): Markup {
  const mayAct = visit.operator.role === 'act'
  const row = (key: OwnKey) => {
    const { id, kind, ending, createdAt, usedAt, endsAt } = key
    const isOld = endsAt > 0
    const end =
      mayAct &&
      isOld &&
      markup` <form method="post" action="${pathOf(account, '/keys/end')}" class="inline">${hiddenFields(visit.form, { key: id })}<button class="link">End it now<span class="unseen">: the old ${KEY_WORDS[kind].toLowerCase()} that ends in ${ending}</span></button></form>`
    return markup`<div><dt>${isOld ? `Old ${KEY_WORDS[kind].toLowerCase()}` : KEY_WORDS[kind]}</dt><dd>ends in <code>${ending}</code> <span class="soft">made ${listTime(createdAt, now)}, ${usedAt === 0 ? 'never used' : markup`last used ${listTime(usedAt, now)}`}${isOld && markup`, works until ${dayAndTime(endsAt)}`}</span>${end}</dd></div>`
  }
  const current = all.filter(({ endsAt }) => endsAt === 0)
  return markup`<section class="sheet"><h2>Keys</h2><dl class="facts">${all.map(row)}</dl>${mayAct && current.map((key) => rotation(key, account.id, visit))}</section>`
}

function rotation({ id, kind, ending }: OwnKey, accountId: string, { form }: Visit): Markup {
  const word = KEY_WORDS[kind].toLowerCase()
  const keep =
    kind === 'callback'
      ? markup`<p>You get a new one to give to the customer. For 24 hours callbacks carry the signatures of both.</p>`
      : markup`<p>You get a new one to give to the customer. Choose how long its programs may go on with the old one, which ends in <code>${ending}</code>.</p><p class="together"><label for="keep-${id}">The old one works</label><select class="box short" id="keep-${id}" name="keep">${KEPT.map(({ keep: value, name }) => markup`<option value="${value}">${name}</option>`)}</select></p>`
  return markup`<details><summary>Replace the ${word}</summary><form method="post" action="${pathOf({ id: accountId }, '/keys/rotate')}">${hiddenFields(form, { kind, current: id })}${keep}<p><button class="second">Make a new ${word}</button></p></form></details>`
}

/** A new secret, shown once. */
export function rotatedPage(
  { account }: Customer,
  made: { kind: KeyKind; secret: string; until: EpochMs | undefined },
): Page {
  const word = KEY_WORDS[made.kind]
  return {
    title: 'The new secret',
    place: 'customers',
    middle: true,
    body: markup`<div class="head"><h1>A new ${word.toLowerCase()} for <bdi>${account.name}</bdi></h1></div>
<section class="sheet"><p>It is shown now and never again. ${made.until === undefined ? 'The old one does not work any more.' : markup`The old one works until ${dayAndTime(made.until)}.`}</p>${secretBox('secret', word, made.secret)}<p><a class="button second" href="${pathOf(account)}">I have kept it</a></p></section>`,
  }
}

function assistants({ customer, visit, now }: CustomerView): Markup {
  const { account, connections, programs, wallets } = customer
  const mayAct = visit.operator.role === 'act'
  if (connections.length + programs.length === 0)
    return markup`<section class="sheet"><h2>Assistants</h2><p>No assistant is connected.</p></section>`
  const active = connections.filter(({ endedAt }) => endedAt === undefined)
  const end = (connection: string, what: Markup, text: string) =>
    markup`<details><summary class="careful">${what}</summary><form method="post" action="${pathOf(account, '/connections/end')}">${hiddenFields(visit.form, { connection })}<p>${text} Messages that are scheduled already are still sent.</p><p><button class="danger tiny">End ${connection === 'all' ? 'them all' : 'it'}</button></p></form></details>`
  const currency = wallets[0]?.currency ?? ''
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Assistants"><table><caption class="unseen">Assistants</caption><thead><tr><th scope="col">Assistant</th><th scope="col">Since</th><th scope="col">Last used</th><th scope="col">May send a day</th><th scope="col">Today</th><th scope="col">State</th></tr></thead><tbody>${connections.map(
    ({ id, clientName: name, redirectHost, createdAt, lastUsedAt, endedAt, limits, today }) =>
      markup`<tr><th scope="row" class="plain">${clientName(name)}<br><span class="soft small"><bdi>${theirWords(redirectHost, LONGEST_ADDRESS)}</bdi></span></th><td>${listTime(createdAt, now)}</td><td>${lastUsedAt === undefined ? 'never' : listTime(lastUsedAt, now)}</td><td>${limits ? `${money(limits.dailySpend, currency)}, ${several(limits.dailyMessages, 'message')}` : 'only reads'}</td><td>${limits ? `${money(today.spent, currency)}, ${several(today.messages, 'message')}` : '–'}</td><td>${endedAt === undefined ? (mayAct ? end(id, markup`End<span class="unseen"> ${clientName(name)}</span>`, 'It loses its access at once, by every gateway.') : 'active') : markup`ended ${listTime(endedAt, now)}`}</td></tr>`,
  )}${programs.map(
    ({ clientId, lastUsedAt }) =>
      markup`<tr><th scope="row" class="plain">A program with API credentials<br><span class="soft small mono">${clientId}</span></th><td>–</td><td>${listTime(lastUsedAt, now)}</td><td>as the settings of /mcp say</td><td>–</td><td>ends with its client secret</td></tr>`,
  )}</tbody></table>${mayAct && active.length > 1 && markup`<div class="pages">${end('all', markup`End all ${String(active.length)}`, 'They lose their access at once, by every gateway.')}</div>`}</section>`
}
