import { micros } from '@wigwag/contract'
import { TicketMaker } from '../../src/kernel/ids.ts'
import { parseRecipient } from '../../src/kernel/phone/phone.ts'
import type { NewMessage } from '../../src/messages/messages.ts'
import type { JobTimes } from '../../src/messages/ports.ts'
import { storeAccepted } from '../../src/messages/sending/decide.ts'
import { holdAmounts } from '../../src/money/wallets.ts'
import type { Database } from '../../src/store/database.ts'
import { NOW } from './rows-of.ts'

export const VALIDITY = 3_600_000
/** Messages leave by the carrier named `carrier`, unclaimed or with this lease. */
export const timesWith = (leaseMs?: number): JobTimes => ({
  validityMs: VALIDITY,
  departure: { laneOf: () => 'carrier', leaseMs: () => leaseMs },
})
export const TIMES = timesWith()
const RECIPIENT = '233241234567'
const PRICE = micros(10)
const newId = new TicketMaker((size) => new Uint8Array(size).fill(7)).make

/** A message of a wallet, as it is accepted. */
export const accepted = (walletId: string, changes: Partial<NewMessage> = {}): NewMessage => ({
  id: newId(NOW),
  to: parseRecipient(changes.recipient ?? RECIPIENT),
  accountId: `account-${walletId}`,
  walletId,
  sender: 'WIGWAG',
  recipient: RECIPIENT,
  content: 'Hello',
  reference: '',
  callbackUrl: null,
  status: 'pending',
  encoding: 'GSM-7',
  segments: 1,
  country: 'GH',
  network: 'MTN',
  price: PRICE,
  balanceBefore: micros(100_000),
  balanceAfter: micros(100_000),
  createdAt: NOW,
  sendAt: 0,
  effectedAt: NOW,
  sentBy: 'client:wc_test',
  ...changes,
})
export const some = (count: number, walletId = 'w') => Array.from({ length: count }, () => accepted(walletId))

/** As an accept does: the hold and the messages in one transaction. */
export function acceptInto(database: Database, messages: readonly NewMessage[]): Promise<void> {
  return database.write(async (tx) => {
    for (const [walletId, ofWallet] of Map.groupBy(messages, (message) => message.walletId)) {
      const prices = ofWallet.map(({ price }) => price)
      await holdAmounts(tx, walletId, prices)
    }
    await storeAccepted(tx, messages, TIMES)
  })
}
