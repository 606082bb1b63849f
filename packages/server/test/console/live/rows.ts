import { micros } from '@wigwag/contract'
import type { ListedMessage } from '../../../src/console/inbox/row.ts'
import { epochMs, type Ticket } from '../../../src/domain/ids.ts'

/** A pending message of a list. Later ones have higher numbers. */
export function listed(number: number, changes: Partial<ListedMessage> = {}): ListedMessage {
  const at = epochMs(1_700_000_000_000 + number)
  return {
    id: `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000` as Ticket,
    accountId: 'a',
    walletId: 'w',
    sender: 'WIGWAG',
    recipient: '233241234567',
    content: 'Hello',
    reference: '',
    callbackUrl: null,
    status: 'pending',
    encoding: 'GSM-7',
    segments: 1,
    country: 'GH',
    network: 'MTN',
    price: micros(42_000),
    cost: micros(0),
    balanceBefore: micros(0),
    balanceAfter: micros(0),
    createdAt: at,
    sendAt: 0,
    dueAt: 0,
    submittedAt: 0,
    effectedAt: at,
    carrierRef: null,
    failureReason: null,
    recipientKey: null,
    senderKey: null,
    callback: undefined,
    ...changes,
  }
}
