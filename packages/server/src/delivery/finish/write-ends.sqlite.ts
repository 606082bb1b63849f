import { ZERO } from '@wigwag/contract'
import { callbackJob, insertCallbacks } from '../../callbacks/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { settlementOf } from '../../domain/message.ts'
import { post, voidHold, type Wallet } from '../../domain/money/ledger.ts'
import { addToTotals, type Settlement, settleMessages, type TotalsChange } from '../../messages/index.ts'
import { type LedgerRow, settleWallet } from '../../money/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/rows.ts'
import { enqueue, lastClaimsOf, type RemovedJobs, removeJobs } from '../../platform/jobs/outbox.ts'
import type { First, Won } from './endings.ts'

/** Settles endings table by table. Safe only where there is one writer, as on SQLite. Returns those that counted. */
export async function writeEndsInSteps(tx: Tx, endings: readonly First[], now: EpochMs): Promise<Won[]> {
  const held = await stillHeld(tx, endings)
  const jobs = await removeJobs(
    tx,
    held.map(({ message }) => message.id),
  )
  const { won, settlements, entries } = await settleMoney(tx, held, jobs, now)
  await settleMessages(tx, settlements)
  await insertRows(tx, tx.t.ledger, entries)
  await addToTotals(tx, settlements.flatMap(countEnding))
  await insertCallbacks(
    tx,
    won.flatMap(({ callback }) => callback ?? []),
  )
  await enqueue(
    tx,
    won.flatMap(({ callback, callbackLeaseMs }) =>
      callback ? callbackJob(callback, now, callbackLeaseMs) : [],
    ),
  )
  return won
}

/** Leaves out endings of jobs that another process has claimed since, unless a carrier answered. */
async function stillHeld(tx: Tx, endings: readonly First[]): Promise<readonly First[]> {
  const decided = endings.filter(({ ending }) => ending.epoch !== undefined)
  if (decided.length === 0) return endings
  const claims = await lastClaimsOf(
    tx,
    decided.map(({ message }) => message.id),
  )
  return endings.filter(({ ending: { epoch, ofHandOver }, message }) => {
    const last = claims.get(message.id)
    return epoch === undefined || (last && (last.epoch === epoch || last.handedAt === ofHandOver))
  })
}

/** Posts or voids each message's hold, with one update per wallet. */
async function settleMoney(
  tx: Tx,
  endings: readonly First[],
  jobs: RemovedJobs,
  now: EpochMs,
): Promise<{ won: Won[]; settlements: Settlement[]; entries: LedgerRow[] }> {
  const won: Won[] = []
  const settlements: Settlement[] = []
  const entries: LedgerRow[] = []
  const byWallet = Map.groupBy(endings, ({ message }) => message.walletId)
  for (const [walletId, group] of byWallet) {
    const posts = group.filter(({ ending }) => settlementOf(ending.status) === 'post')
    const { before, nextSeq } = await settleWallet(tx, walletId, {
      posted: total(posts),
      released: total(group),
      entries: posts.length,
    })
    let wallet: Wallet = before
    let seq = nextSeq
    for (const one of group) {
      const { message, ending, recipientKey } = one
      const posting = settlementOf(ending.status) === 'post'
      const entry = (posting ? post : voidHold)(wallet, message.price)
      wallet = entry.wallet
      const balances = { balanceBefore: entry.before, balanceAfter: entry.after }
      const cost = posting ? message.price : ZERO
      won.push({ ...one, cost, ...balances })
      const job = jobs.get(message.id)
      settlements.push({
        message,
        recipientKey,
        status: ending.status,
        cost,
        ...balances,
        effectedAt: now,
        submittedAt: job?.submittedAt || ending.submittedAt,
        carrier: job?.lane || null,
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
  return { won, settlements, entries }
}

/** A scheduled message was never counted as sent, so its cancellation changes no total. */
function countEnding({ message, status }: Settlement): TotalsChange[] {
  if (status === 'cancelled') return []
  const { walletId, createdAt, country, network, price } = message
  const posting = settlementOf(status) === 'post'
  const counts = { sent: 0, delivered: posting ? 1 : 0, failed: posting ? 0 : 1, spend: posting ? price : 0 }
  return [{ walletId, createdAt, country, network, ...counts }]
}

function total(endings: readonly First[]): number {
  return endings.reduce((sum, { message }) => sum + message.price, 0)
}
