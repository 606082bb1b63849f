import type { EpochMs } from '../domain/ids.ts'
import { post, voidHold, type Wallet } from '../domain/ledger.ts'
import { settles } from '../domain/message.ts'
import { ZERO } from '../domain/money.ts'
import { insertCallbacks } from './callbacks.ts'
import type { Connection } from './database.ts'
import type { First } from './endings.ts'
import { type Settlement, settleMessages } from './messages.ts'
import { callbackJob, enqueue, epochsOf, type RemovedJobs, removeJobs } from './outbox.ts'
import { insertRows } from './rows.ts'
import { addToTotals, type TotalsChange } from './totals.ts'
import { type LedgerRow, settleWallet } from './wallets.ts'

/** Settles endings table by table, as the only writer there is, and gives back those that counted. */
export async function finishInSteps(
  connection: Connection,
  endings: readonly First[],
  now: EpochMs,
): Promise<readonly First[]> {
  const won = await stillHeld(connection, endings)
  const jobs = await removeJobs(
    connection,
    won.map(({ message }) => message.id),
  )
  const { settlements, entries } = await settleMoney(connection, won, jobs, now)
  await settleMessages(connection, settlements)
  await insertRows(connection, connection.t.ledger, entries)
  await addToTotals(connection, settlements.flatMap(countEnding))
  const callbacks = won.flatMap(({ callback }) => callback ?? [])
  await insertCallbacks(connection, callbacks)
  await enqueue(
    connection,
    callbacks.map(({ id }) => callbackJob(id, now)),
  )
  return won
}

/** Leaves out what jobs decided that another process has claimed since. */
async function stillHeld(connection: Connection, endings: readonly First[]): Promise<readonly First[]> {
  const decided = endings.filter(({ ending }) => ending.epoch !== undefined)
  if (decided.length === 0) return endings
  const epochs = await epochsOf(
    connection,
    decided.map(({ message }) => message.id),
  )
  return endings.filter(
    ({ ending, message }) => ending.epoch === undefined || epochs.get(message.id) === ending.epoch,
  )
}

/** Posts or voids the hold of each message, with one update per wallet. */
async function settleMoney(
  connection: Connection,
  endings: readonly First[],
  jobs: RemovedJobs,
  now: EpochMs,
): Promise<{ settlements: Settlement[]; entries: LedgerRow[] }> {
  const settlements: Settlement[] = []
  const entries: LedgerRow[] = []
  const byWallet = Map.groupBy(endings, ({ message }) => message.walletId)
  for (const [walletId, group] of byWallet) {
    const posts = group.filter(({ ending }) => settles(ending.status) === 'post')
    const { before, nextSeq } = await settleWallet(connection, walletId, {
      posted: total(posts),
      released: total(group),
      entries: posts.length,
    })
    let wallet: Wallet = before
    let seq = nextSeq
    for (const { message, ending, recipientKey } of group) {
      const posting = settles(ending.status) === 'post'
      const entry = (posting ? post : voidHold)(wallet, message.price)
      wallet = entry.wallet
      const balances = { balanceBefore: entry.before, balanceAfter: entry.after }
      const job = jobs.get(message.id)
      settlements.push({
        message,
        recipientKey,
        status: ending.status,
        cost: posting ? message.price : ZERO,
        ...balances,
        effectedAt: now,
        submittedAt: job?.submittedAt || ending.submittedAt,
        carrierRef: job?.carrierRef ?? ending.carrierRef,
        failureReason: ending.reason ?? null,
      })
      if (!posting) continue
      entries.push({
        walletId,
        seq: seq++,
        kind: 'post',
        amount: message.price,
        ...balances,
        messageId: message.id,
        createdAt: now,
      })
    }
  }
  return { settlements, entries }
}

/** A scheduled message was never counted as sent, so its cancellation changes no total. */
function countEnding({ message, status }: Settlement): TotalsChange[] {
  if (status === 'cancelled') return []
  const { walletId, createdAt, country, network, price } = message
  const posting = settles(status) === 'post'
  const counts = { sent: 0, delivered: posting ? 1 : 0, failed: posting ? 0 : 1, spend: posting ? price : 0 }
  return [{ walletId, createdAt, country, network, ...counts }]
}

function total(endings: readonly First[]): number {
  return endings.reduce((sum, { message }) => sum + message.price, 0)
}
