import type { Clock } from '../clock.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { post, voidHold, type Wallet } from '../domain/ledger.ts'
import { canMove, type FinalStatus, settles } from '../domain/message.ts'
import { ZERO } from '../domain/money.ts'
import { type CallbackRow, insertCallbacks } from '../store/callbacks.ts'
import { type Connection, type Database, RowLocked, StoreUnavailable } from '../store/database.ts'
import {
  freeMessages,
  lockMessages,
  type Settlement,
  settleMessages,
  type UnsettledMessage,
} from '../store/messages.ts'
import { callbackJob, enqueue, lockEpochs, type RemovedJobs, removeJobs } from '../store/outbox.ts'
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
  /** The claim under which a job decided it. A receipt has none, and always counts. */
  epoch?: number
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
  /** Told after a commit which messages became final. */
  onFinal(settlements: readonly Pick<Settlement, 'status'>[]): void
}

/**
 * Makes messages final: the first ending wins, later ones are only recorded. One that cannot be settled harms no
 * other: the rest is settled before this rejects.
 */
export type Finalize = (endings: readonly Ending[], options?: FinalizeWait) => Promise<void>

export interface FinalizeWait {
  /** How long to wait for one lock. A batch waits a moment only: what a lock holds up is tried again later. */
  lockWaitMs?: number
}

/** Some endings could not be settled; the others are. */
export class EndingsFailed extends AggregateError {
  override readonly name = 'EndingsFailed'
  readonly tickets: ReadonlySet<Ticket>

  constructor(failures: readonly Failure[]) {
    super(
      failures.map(({ error }) => error),
      `could not settle ${failures.length} of the endings`,
    )
    this.tickets = new Set(failures.map(({ ticket }) => ticket))
  }
}

interface Failure {
  ticket: Ticket
  error: unknown
}

const BATCH_LOCK_WAIT_MS = 200

export function createFinalize(options: FinalizeOptions): Finalize {
  const { database, clock, newId } = options

  async function commit(connection: Connection, endings: readonly Ending[]) {
    const now = clock.now()
    const messages = await lockMessages(connection, [...new Set(endings.map(({ ticket }) => ticket))])
    const { first, late } = firstEndings(await stillHeld(connection, endings), messages)
    const jobs = await removeJobs(
      connection,
      first.map(({ message }) => message.id),
    )
    const { settlements, entries } = await settleMoney(connection, first, jobs, now)
    await settleMessages(connection, settlements)
    await insertRows(connection, connection.t.ledger, entries)
    await addToTotals(connection, settlements.flatMap(countEnding))
    const callbacks = callbacksOf(settlements, now)
    await insertCallbacks(connection, callbacks)
    await enqueue(
      connection,
      callbacks.map(({ id }) => callbackJob(id, now)),
    )
    await recordLate(connection, late, now)
    return { callbacks: callbacks.length, settlements }
  }

  function callbacksOf(settlements: readonly Settlement[], now: EpochMs): CallbackRow[] {
    return settlements.flatMap((settlement) => {
      const { id, accountId, walletId, callbackUrl } = settlement.message
      if (callbackUrl === null) return []
      const payload = callbackPayload(settlement.message, settlement)
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

  /**
   * Settles all of them, but for those that a lock holds up; or half and half, until those that can't be settled
   * stand alone.
   */
  async function settle(endings: readonly Ending[], lockWaitMs: number): Promise<Settled> {
    try {
      const settled = await database.write((connection) => commit(connection, endings), {
        patient: true,
        lockWaitMs,
      })
      return { ...settled, failures: [] }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (endings.length === 1) return failed(endings, error)
      const [locked, free] = error instanceof RowLocked ? await splitByLocks(endings) : [[], endings]
      if (locked.length > 0) return join(failed(locked, error), await settle(free, lockWaitMs))
      const middle = endings.length >> 1
      return join(
        await settle(endings.slice(0, middle), lockWaitMs),
        await settle(endings.slice(middle), lockWaitMs),
      )
    }
  }

  /** The endings whose wallet or message another session holds locked at this moment, and the others. */
  async function splitByLocks(endings: readonly Ending[]): Promise<[Ending[], Ending[]]> {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const free = await database.write((connection) => freeMessages(connection, tickets))
    return [
      endings.filter(({ ticket }) => !free.has(ticket)),
      endings.filter(({ ticket }) => free.has(ticket)),
    ]
  }

  return async function finalize(endings, { lockWaitMs = BATCH_LOCK_WAIT_MS } = {}) {
    if (endings.length === 0) return
    const { settlements, callbacks, failures } = await settle(endings, lockWaitMs)
    if (settlements.length > 0) options.onFinal(settlements)
    if (callbacks > 0) options.onCallbacks()
    const [only] = failures
    if (only && endings.length === 1) throw only.error
    if (failures.length > 0) throw new EndingsFailed(failures)
  }
}

interface Settled {
  settlements: Settlement[]
  callbacks: number
  failures: Failure[]
}

function failed(endings: readonly Ending[], error: unknown): Settled {
  return { settlements: [], callbacks: 0, failures: endings.map(({ ticket }) => ({ ticket, error })) }
}

function join(some: Settled, others: Settled): Settled {
  return {
    settlements: [...some.settlements, ...others.settlements],
    callbacks: some.callbacks + others.callbacks,
    failures: [...some.failures, ...others.failures],
  }
}

/** Leaves out what jobs decided that another process has claimed since. */
async function stillHeld(connection: Connection, endings: readonly Ending[]): Promise<readonly Ending[]> {
  const decided = endings.filter(({ epoch }) => epoch !== undefined)
  if (decided.length === 0) return endings
  const epochs = await lockEpochs(connection, [...new Set(decided.map(({ ticket }) => ticket))])
  return endings.filter(({ ticket, epoch }) => epoch === undefined || epochs.get(ticket) === epoch)
}

interface First {
  message: UnsettledMessage
  ending: Ending
}

/** Sorts endings into those that make a message final and those that come too late. Unknown tickets are neither. */
function firstEndings(endings: readonly Ending[], messages: ReadonlyMap<Ticket, UnsettledMessage>) {
  const first = new Map<Ticket, First>()
  const late: Ending[] = []
  for (const ending of endings) {
    const message = messages.get(ending.ticket)
    if (!message) continue
    const tooLate = first.has(message.id) || !canMove(message.status, ending.status)
    // A cancellation that lost is no receipt: its caller is told, and nothing is recorded.
    if (tooLate && ending.status !== 'cancelled') late.push(ending)
    else if (tooLate) continue
    else first.set(message.id, { message, ending })
  }
  return { first: [...first.values()], late }
}

/** Posts or voids the hold of each message that became final, with one update per wallet. */
async function settleMoney(
  connection: Connection,
  endings: readonly First[],
  jobs: RemovedJobs,
  now: EpochMs,
): Promise<{ settlements: Settlement[]; entries: LedgerRow[] }> {
  const settlements: Settlement[] = []
  const entries: LedgerRow[] = []
  const byWallet = Map.groupBy(endings, ({ message }) => message.walletId)
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
      const job = jobs.get(message.id)
      settlements.push({
        message,
        status: ending.status,
        cost: posting ? message.price : ZERO,
        ...balances,
        effectedAt: now,
        submittedAt: job?.submittedAt ?? 0,
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
