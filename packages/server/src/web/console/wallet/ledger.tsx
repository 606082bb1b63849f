import { Problem } from '../../../kernel/errors.ts'
import { type EpochMs, epochMs, isTicket, type Ticket } from '../../../kernel/ids.ts'
import { isFinal } from '../../../kernel/message.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { type ChargedMessage, chargedMessages } from '../../../messages/history/index.ts'
import { type LedgerRow, ledgerPage, referencesOf } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { PageRequest, Page as RowPage } from '../../../net/server/paging.ts'
import { listTime } from '../../times.tsx'
import { amountOf, changeOf } from '../../widgets/money.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import type { ConsoleParts } from '../parts.ts'
import { type DayErrors, readDays, startOf, type TypedDays } from '../widgets/days.tsx'

/** An entry, with the message that it charged for, or the operator's reference. */
export interface LedgerLine extends LedgerRow {
  message: ChargedMessage | undefined
  reference: string | undefined
}

/** Why a ticket has no entry. */
export type Uncharged = 'unknown' | 'held' | 'released'

export interface LedgerPage extends RowPage<LedgerLine> {
  uncharged?: Uncharged
}

type Read = Pick<ConsoleParts, 'history' | 'database'>

/** Reads a page of the ledger with the numbers that its messages went to. The page and the CSV use it. */
export async function readLedger(
  read: Read,
  principal: WalletPrincipal,
  { ticket, ...range }: LedgerFilter,
  page: PageRequest,
): Promise<LedgerPage> {
  if (ticket === undefined) return list(read, principal, { ticket, ...range }, page)
  const message = await read.history.queries.walletMessage(principal, ticket).catch(orNone)
  if (!message) return { items: [], next: undefined, uncharged: 'unknown' }
  if (message.status !== 'success')
    return { items: [], next: undefined, uncharged: isFinal(message.status) ? 'released' : 'held' }
  // A message is charged for in the moment in which it becomes final.
  const from = epochMs(Math.max(message.effectedAt, range.from ?? 0))
  const before = epochMs(Math.min(message.effectedAt + 1, range.before ?? Number.MAX_SAFE_INTEGER))
  return list(read, principal, { ticket, from, before }, page)
}

async function list(
  { database }: Read,
  principal: WalletPrincipal,
  wanted: LedgerFilter,
  page: PageRequest,
): Promise<LedgerPage> {
  const { items, next } = await ledgerPage(database, principal, wanted, page)
  const tickets = items.flatMap(({ messageId }) => messageId ?? [])
  const { id } = principal.wallet
  const { messages, references } = await database.read(async (tx) => ({
    messages: await chargedMessages(tx, principal, tickets),
    references: await referencesOf(tx, id, items),
  }))
  const about = (row: LedgerRow) => ({
    message: messages.get(row.messageId ?? ''),
    reference: references.get(row.seq),
  })
  return { items: items.map((row) => ({ ...row, ...about(row) })), next }
}

function orNone(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'transaction_not_found') return undefined
  throw error
}

/** The filter in an address, as typed. */
export interface TypedLedgerFilter extends TypedDays {
  /** A ticket. */
  q: string
}

export type LedgerErrors = DayErrors & { q?: string; cursor?: string }

interface LedgerFilter {
  from: EpochMs | undefined
  before: EpochMs | undefined
  ticket: Ticket | undefined
}

export function readLedgerFilter({
  q,
  ...days
}: TypedLedgerFilter): { wanted: LedgerFilter } | { errors: LedgerErrors } {
  const { first, last, errors } = readDays(days)
  const wrong = q !== '' && !isTicket(q)
  if (wrong || Object.keys(errors).length > 0) {
    return { errors: { ...errors, ...(wrong && { q: `Ticket: expected that of a message, got “${q}”.` }) } }
  }
  return {
    wanted: {
      from: first === undefined ? undefined : startOf(first),
      before: last === undefined ? undefined : startOf(last + 1),
      ticket: q === '' ? undefined : (q.toLowerCase() as Ticket),
    },
  }
}

/** The query of an address that asks the same; empty when it asks for everything. */
export function queryOf(filter: TypedLedgerFilter & { cursor?: string }): string {
  const filled = Object.entries(filter).filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`
}

interface LedgerView {
  rows: readonly LedgerLine[]
  currency: string
  now: EpochMs
  sandbox: boolean
  /** Where older entries are; undefined on the last page. */
  older: string | undefined
  /** Where the newest are; undefined on the first page. */
  newest: string | undefined
}

/** The table of entries. */
export function ledgerList({ rows, currency, now, sandbox, older, newest }: LedgerView): Markup {
  return (
    <div class="sheet flush">
      <table class="list cards" role="table">
        <caption class="unseen">Ledger, newest first</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col" class="w-time">
              Time, UTC
            </th>
            <th role="columnheader" scope="col" class="w-name">
              What
            </th>
            <th role="columnheader" scope="col">
              For
            </th>
            <th role="columnheader" scope="col" class="w-name num">
              Amount, {currency}
            </th>
            <th role="columnheader" scope="col" class="w-time num wide">
              Before
            </th>
            <th role="columnheader" scope="col" class="w-time num">
              After
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" id="rows">
          {rows.map((row) => ledgerRow(row, now, sandbox))}
        </tbody>
      </table>
      {(older !== undefined || newest !== undefined) && (
        <div class="pages">
          {newest !== undefined && <a href={newest}>Newest entries</a>}
          {older !== undefined && (
            <a class="end" href={older}>
              Older entries
            </a>
          )}
        </div>
      )}
    </div>
  )
}

function ledgerRow(row: LedgerLine, now: EpochMs, sandbox: boolean): Markup {
  const { kind, amount, balanceBefore, balanceAfter, createdAt } = row
  const added = kind === 'credit'
  const what = added ? <span class="state good strong">Added</span> : whatWas(row)
  return (
    <tr role="row">
      <td role="cell" class="nums cell-text">
        {listTime(createdAt, now)}
      </td>
      <td role="cell" class="cell-state">
        {what}
      </td>
      <td role="cell" class="cell-to">
        {forWhat(row, sandbox)}
      </td>
      <td role="cell" class={`num cell-time${added ? ' strong' : ''}`}>
        {changeOf(amount, added)}
      </td>
      <td role="cell" class="num wide">
        {amountOf(balanceBefore)}
      </td>
      <td role="cell" class="num cell-cost">
        {amountOf(balanceAfter)}
      </td>
    </tr>
  )
}

export function whatWas({ kind, messageId }: Pick<LedgerLine, 'kind' | 'messageId'>): string {
  if (kind === 'credit') return 'Added'
  return messageId === null ? 'Taken out' : 'Charged'
}

function forWhat({ kind, messageId, message, reference }: LedgerLine, sandbox: boolean): Markup {
  if (reference !== undefined)
    return (
      <>
        by the operator, <bdi>{reference}</bdi>
      </>
    )
  // An operator may leave the reference out; the controls of a sandbox have none.
  if (messageId === null)
    return kind === 'credit' || !sandbox ? <>by the operator</> : <>by the sandbox’s controls</>
  const name = message ? phoneNumber(message.recipient) : <code>{messageId}</code>
  return (
    <>
      <a class="go nums" href={`/messages/${messageId}`}>
        {name}
      </a>
      {message && (
        <>
          {' '}
          <span class="soft wide">
            {message.segments} × {amountOf(message.price / message.segments)}
          </span>
        </>
      )}
    </>
  )
}
