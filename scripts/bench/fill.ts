import { randomBytes } from 'node:crypto'
import { createTicketMaker, epochMs } from '../../packages/server/src/domain/ids.ts'
import { micros, ZERO } from '../../packages/server/src/domain/money.ts'
import type { MessageRow } from '../../packages/server/src/store/messages.ts'
import { migrate } from '../../packages/server/src/store/migrate.ts'
import { openDatabase } from '../../packages/server/src/store/open.ts'
import { insertRows } from '../../packages/server/src/store/rows.ts'
import { recipientKey, senderKey } from '../../packages/server/src/store/search-keys.ts'

const BATCH = 6_400

/** Puts delivered messages of other accounts' wallets into a database, as years of use would. */
export async function fill(file: string, size: number): Promise<void> {
  const database = openDatabase({
    url: `file:${file}`,
    postgresConnections: 1,
    onFatal: fail,
    onIdleError: fail,
  })
  await migrate(database)
  const newId = createTicketMaker(randomBytes)
  const start = Date.now() - 90 * 86_400_000
  for (let done = 0; done < size; done += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, size - done) }, (_, index) => {
      const createdAt = epochMs(start + Math.floor(((done + index) / size) * 89 * 86_400_000))
      return delivered(newId(createdAt), createdAt, (done + index) % 100)
    })
    await database.write((connection) => insertRows(connection, connection.t.messages, rows))
  }
  await database.close()
}

function delivered(id: MessageRow['id'], createdAt: MessageRow['createdAt'], wallet: number): MessageRow {
  const recipient = String(233_240_000_000 + Math.floor(Math.random() * 10_000_000))
  const walletId = `wallet-${wallet}`
  return {
    id,
    accountId: `account-${wallet}`,
    walletId,
    sender: 'WIGWAG',
    recipient,
    content: 'Your order is on its way and will be with you between nine and eleven this morning.',
    reference: 'order-1042-customer-77',
    callbackUrl: null,
    status: 'success',
    encoding: 'GSM-7',
    segments: 1,
    country: 'GH',
    network: 'MTN',
    price: micros(42_000),
    cost: micros(42_000),
    balanceBefore: ZERO,
    balanceAfter: ZERO,
    createdAt,
    sendAt: 0,
    dueAt: 0,
    submittedAt: createdAt,
    effectedAt: createdAt,
    carrierRef: 'sim-success-0',
    failureReason: null,
    recipientKey: recipientKey(walletId, recipient),
    senderKey: senderKey(walletId, 'WIGWAG', 'success'),
  }
}

function fail(error: Error): never {
  throw error
}
