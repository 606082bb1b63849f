import type { Clock } from '../clock.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { post, voidHold, type Wallet } from '../domain/ledger.ts'
import { canMove, type FinalStatus, settles } from '../domain/message.ts'
import { ZERO } from '../domain/money.ts'
import { type CallbackRow, insertCallbacks } from '../store/callbacks.ts'
import type { Connection, Database } from '../store/database.ts'
import { lockMessages, type Settlement, settleMessages, type UnsettledMessage } from '../store/messages.ts'
import { callbackJob, enqueue, removeJobs } from '../store/outbox.ts'
import { insertRows } from '../store/rows.ts'
import { addToTotals, type TotalsChange } from '../store/totals.ts'
import { type LedgerRow, settleWallet } from '../store/wallets.ts'
import { callbackPayload } from './callback-payload.ts'
import type { Receipt } from './ports.ts'

/** How a message ended, and why when it did not arrive. */
export interface Ending {
  ticket: Ticket
  status: FinalStatus
  carrierRef: string
  reason?: string
}

export function endingOf({ ticket, verdict, carrierRef, reason }: Receipt): Ending {
  return { ticket, status: verdict, carrierRef, ...(reason === undefined ? {} : { reason }) }
}

export interface FinalizeOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Told after a commit that callbacks wait to be posted. */
  onCallbacks(): void
  /** Told after a commit how many messages became final. */
  onFinal(endings: readonly Ending[]): void
}

/** Makes messages final: the first ending wins, later ones are only recorded. */
export type Finalize = (endings: readonly Ending[]) => Promise<void>

export function createFinalize(options: FinalizeOptions): Finalize {
  const { database, clock, newId } = options

  async function commit(connection: Connection, endings: readonly Ending[]) {
    const now = clock.now()
    const messages = await lockMessages(connection, [...new Set(endings.map(({ ticket }) => ticket))])
    const { winners, late } = firstEndings(endings, messages)
    const jobs = await removeJobs(
      connection,
      winners.map(({ message }) => message.id),
    )
    const { settlements, entries } = await settleMoney(connection, winners, now)
    for (const settlement of settlements) {
      const job = jobs.get(settlement.message.id)
      settlement.submittedAt = job?.submittedAt ?? 0
      settlement.carrierRef = job?.carrierRef ?? settlement.carrierRef
    }
    await settleMessages(connection, settlements)
    await insertRows(connection, connection.t.ledger, entries)
    await addToTotals(connection, winners.flatMap(countEnding))
    const callbacks = callbacksOf(winners, settlements, now)
    await insertCallbacks(connection, callbacks)
    await enqueue(
      connection,
      callbacks.map(({ id }) => callbackJob(id, now)),
    )
    await recordLate(connection, late, now)
    return { callbacks: callbacks.length, winners }
  }

  function callbacksOf(
    winners: readonly Winner[],
    settlements: readonly Settlement[],
    now: EpochMs,
  ): CallbackRow[] {
    return winners.flatMap(({ message }, index) => {
      const settlement = settlements[index]
      if (message.callbackUrl === null || !settlement) return []
      const { id, accountId, walletId, callbackUrl } = message
      const payload = callbackPayload(message, settlement)
      return [
        {
          id: newId(now),
          accountId,
          walletId,
          messageId: id,
          url: callbackUrl,
          payload,
          state: 'pending',
          createdAt: now,
        },
      ]
    })
  }

  function recordLate(connection: Connection, late: readonly Ending[], now: EpochMs): Promise<void> {
    const rows = late.map(({ ticket, carrierRef, status }) => ({
      id: newId(now),
      messageId: ticket,
      carrierRef,
      status,
      receivedAt: now,
    }))
    return insertRows(connection, connection.t.lateReceipts, rows)
  }

  return async function finalize(endings) {
    if (endings.length === 0) return
    const { callbacks, winners } = await database.write((connection) => commit(connection, endings), {
      patient: true,
    })
    options.onFinal(winners.map(({ ending }) => ending))
    if (callbacks > 0) options.onCallbacks()
  }
}

interface Winner {
  message: UnsettledMessage
  ending: Ending
}

/** Sorts endings into those that make a message final and those that come too late. Unknown tickets are neither. */
function firstEndings(endings: readonly Ending[], messages: ReadonlyMap<Ticket, UnsettledMessage>) {
  const winners = new Map<Ticket, Winner>()
  const late: Ending[] = []
  for (const ending of endings) {
    const message = messages.get(ending.ticket)
    if (!message) continue
    const tooLate = winners.has(message.id) || !canMove(message.status, ending.status)
    // A cancellation that lost is no receipt: whoever asked for it is told, and nothing is recorded.
    if (tooLate && ending.status !== 'cancelled') late.push(ending)
    else if (tooLate) continue
    else winners.set(message.id, { message, ending })
  }
  return { winners: [...winners.values()], late }
}

/** Posts or voids each winner's hold, one update per wallet; the results are in the order of the winners. */
async function settleMoney(connection: Connection, winners: readonly Winner[], now: EpochMs) {
  const settled = new Map<Ticket, Settlement>()
  const entries: LedgerRow[] = []
  const byWallet = Map.groupBy(winners, ({ message }) => message.walletId)
  for (const walletId of [...byWallet.keys()].sort()) {
    const group = byWallet.get(walletId) ?? []
    const posts = group.filter(({ ending }) => settles(ending.status) === 'post')
    const { before, nextSeq } = await settleWallet(connection, walletId, {
      posted: total(posts),
      released: total(group),
      entries: posts.length,
    })
    let wallet: Wallet = before
    let seq = nextSeq
    for (const { message, ending } of group) {
      const posting = settles(ending.status) === 'post'
      const entry = (posting ? post : voidHold)(wallet, message.price)
      wallet = entry.wallet
      const balances = { balanceBefore: entry.before, balanceAfter: entry.after }
      settled.set(message.id, {
        message,
        status: ending.status,
        cost: posting ? message.price : ZERO,
        ...balances,
        effectedAt: now,
        submittedAt: 0,
        carrierRef: ending.carrierRef,
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
  return { settlements: winners.flatMap(({ message }) => settled.get(message.id) ?? []), entries }
}

/** A scheduled message was never counted as sent, so its cancellation changes no total. */
function countEnding({ message, ending }: Winner): TotalsChange[] {
  if (ending.status === 'cancelled') return []
  const { walletId, createdAt, country, network, price } = message
  const posting = settles(ending.status) === 'post'
  const counts = { sent: 0, delivered: posting ? 1 : 0, failed: posting ? 0 : 1, spend: posting ? price : 0 }
  return [{ walletId, createdAt, country, network, ...counts }]
}

function total(winners: readonly Winner[]): number {
  return winners.reduce((sum, { message }) => sum + message.price, 0)
}
