import { randomBytes } from 'node:crypto'
import { micros, ZERO } from '@wigwag/contract'
import { type EpochMs, epochMs, TicketMaker } from '../../src/kernel/ids.ts'
import { isFinal } from '../../src/kernel/message.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import { recipientKey, senderKey } from '../../src/messages/search-keys.ts'
import type { Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'

export interface Wallet {
  id: string
  accountId: string
}

/** Stores wallets, each of an account of its own. */
export async function putWallets(tx: Tx, wallets: readonly Wallet[], createdAt: EpochMs): Promise<void> {
  const accounts = wallets.map(({ id, accountId }) => ({
    id: accountId,
    name: id,
    email: `${id}@example.com`,
    status: 'active' as const,
    statusAt: createdAt,
    createdAt,
    secondFactor: 'optional' as const,
    assistantsSpend: null,
    assistantsMessages: null,
    country: '',
  }))
  await insertRows(tx, tx.t.accounts, accounts)
  const empty = { currency: 'GHS', posted: ZERO, held: ZERO, entries: 0, createdAt }
  await insertRows(
    tx,
    tx.t.wallets,
    wallets.map((wallet) => ({ ...wallet, ...empty })),
  )
}

const newTicket = new TicketMaker(randomBytes).make
const PRICE = 42_000

/** A stored message as an accept and its ending would have left it. */
export function messageRow(
  wallet: Wallet,
  fields: Partial<MessageRow> & Pick<MessageRow, 'createdAt'>,
  run = 1,
): MessageRow {
  const { createdAt, recipient = '233241234567', sender = 'WIGWAG', status = 'success' } = fields
  const cost = status === 'success' ? PRICE : 0
  return {
    id: newTicket(createdAt),
    accountId: wallet.accountId,
    walletId: wallet.id,
    sender,
    recipient,
    content: 'Hello',
    reference: '',
    callbackUrl: null,
    status,
    encoding: 'GSM-7',
    segments: 1,
    country: 'GH',
    network: 'MTN',
    price: micros(PRICE),
    cost: micros(cost),
    balanceBefore: micros(100_000_000),
    balanceAfter: micros(100_000_000 - cost),
    sendAt: status === 'scheduled' ? createdAt + 3_600_000 : 0,
    dueAt: 0,
    submittedAt: 0,
    effectedAt: epochMs(createdAt + (isFinal(status) ? 1_000 : 0)),
    carrier: null,
    carrierRef: null,
    failureReason: null,
    recipientKey: isFinal(status) ? recipientKey(run, wallet.id, recipient) : null,
    senderKey: isFinal(status) ? senderKey(wallet.id, sender, status) : null,
    sentBy: 'client:wc_test',
    ...fields,
  }
}
