import { Problem } from '../../domain/errors.ts'
import { epochMs } from '../../domain/ids.ts'
import { isFinal } from '../../domain/message.ts'
import { type ChargedMessage, chargedMessages } from '../../history/index.ts'
import type { LedgerRow } from '../../money/index.ts'
import type { PageRequest, Page as RowPage } from '../../platform/http/paging.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { ConsoleParts } from '../parts.ts'
import type { LedgerFilter } from './ledger-filter.ts'

/** An entry, and the message that it charged for. */
export interface LedgerLine extends LedgerRow {
  message: ChargedMessage | undefined
}

/** Why a ticket has no entry. */
export type Uncharged = 'unknown' | 'held' | 'given back'

export interface LedgerPage extends RowPage<LedgerLine> {
  uncharged?: Uncharged
}

export type ReadLedger = (
  principal: WalletPrincipal,
  wanted: LedgerFilter,
  page: PageRequest,
) => Promise<LedgerPage>

/** Reads a page of the ledger with the numbers that its messages went to. The page and the CSV use it. */
export function createReadLedger({ money, history, database }: ConsoleParts): ReadLedger {
  async function list(
    principal: WalletPrincipal,
    wanted: LedgerFilter,
    page: PageRequest,
  ): Promise<LedgerPage> {
    const { items, next } = await money.ledger.list(principal, wanted, page)
    const tickets = items.flatMap(({ messageId }) => messageId ?? [])
    const messages = await database.read((tx) => chargedMessages(tx, principal.wallet.id, tickets))
    return { items: items.map((row) => ({ ...row, message: messages.get(row.messageId ?? '') })), next }
  }

  return async function readLedger(principal, { ticket, ...range }, page) {
    if (ticket === undefined) return list(principal, { ticket, ...range }, page)
    const message = await history.queries.walletMessage(principal, ticket).catch(orNone)
    if (!message) return { items: [], next: undefined, uncharged: 'unknown' }
    if (message.status !== 'success') {
      return { items: [], next: undefined, uncharged: isFinal(message.status) ? 'given back' : 'held' }
    }
    // A message is charged for in the moment in which it becomes final.
    const from = epochMs(Math.max(message.effectedAt, range.from ?? 0))
    const before = epochMs(Math.min(message.effectedAt + 1, range.before ?? Number.MAX_SAFE_INTEGER))
    return list(principal, { ticket, from, before }, page)
  }
}

function orNone(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'transaction_not_found') return undefined
  throw error
}
