import type { EpochMs } from '../../domain/ids.ts'
import { listTime } from '../../pages/times.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { LedgerLine } from './read.ts'

export interface LedgerView {
  rows: readonly LedgerLine[]
  currency: string
  now: EpochMs
  /** Where older entries are; undefined on the last page. */
  older: string | undefined
  /** Where the newest are; undefined on the first page. */
  newest: string | undefined
}

/** The table of entries. */
export function ledgerList({ rows, currency, now, older, newest }: LedgerView): Markup {
  return markup`<div class="sheet flush"><table class="list cards" role="table"><caption class="unseen">Ledger, newest first</caption><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w-time">Time, UTC</th><th role="columnheader" scope="col" class="w-name">What</th><th role="columnheader" scope="col">For</th><th role="columnheader" scope="col" class="w-name num">Amount, ${currency}</th><th role="columnheader" scope="col" class="w-time num wide">Before</th><th role="columnheader" scope="col" class="w-time num">After</th></tr></thead>
<tbody role="rowgroup" id="rows">${rows.map((row) => ledgerRow(row, now))}</tbody></table>
${(older !== undefined || newest !== undefined) && markup`<div class="pages">${newest !== undefined && markup`<a href="${newest}">Newest entries</a>`}${older !== undefined && markup`<a class="end" href="${older}">Older entries</a>`}</div>`}</div>`
}

function ledgerRow(row: LedgerLine, now: EpochMs): Markup {
  const { kind, amount, balanceBefore, balanceAfter, createdAt } = row
  const added = kind === 'credit'
  const what = added ? markup`<span class="state good strong">Added</span>` : markup`${whatWas(row)}`
  return markup`<tr role="row"><td role="cell" class="nums cell-text">${listTime(createdAt, now)}</td><td role="cell" class="cell-state">${what}</td><td role="cell" class="cell-to">${forWhat(row)}</td><td role="cell" class="num cell-time${added && ' strong'}">${added ? '+' : '−'} ${amountOf(amount)}</td><td role="cell" class="num wide">${amountOf(balanceBefore)}</td><td role="cell" class="num cell-cost">${amountOf(balanceAfter)}</td></tr>`
}

/** Only a sandbox's controls take money for no message. */
export function whatWas({ kind, messageId }: Pick<LedgerLine, 'kind' | 'messageId'>): string {
  if (kind === 'credit') return 'Added'
  return messageId === null ? 'Taken out' : 'Charged'
}

function forWhat({ kind, messageId, message }: LedgerLine): Markup {
  if (kind === 'credit') return markup`by the operator`
  if (messageId === null) return markup`by the sandbox’s controls`
  const name = message ? phoneNumber(message.recipient) : markup`<code>${messageId}</code>`
  return markup`<a class="go nums" href="/messages/${messageId}">${name}</a>${message && markup` <span class="soft wide">${message.segments} × ${amountOf(message.price / message.segments)}</span>`}`
}
