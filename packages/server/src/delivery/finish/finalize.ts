import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { freeMessages } from '../../messages/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Database, RowLocked, StoreUnavailable } from '../../platform/database/database.ts'
import type { Due } from '../../platform/jobs/outbox.ts'
import type { Ending } from './endings.ts'
import { createFinish, type Finished } from './finish.ts'

export interface FinalizeOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Called after a commit with the callbacks that wait to be posted. */
  onCallbacks(callbacks: readonly Due[]): void
  /** Called after a commit with the endings that made messages final, and the wallets of these messages. */
  onFinal(endings: readonly Ending[], walletIds: ReadonlySet<string>): void
}

/**
 * Makes messages final: the first ending wins, later ones are only recorded. If some cannot be settled, the others are
 * settled before this rejects.
 */
export type Finalize = (endings: readonly Ending[], options?: FinalizeWait) => Promise<void>

export interface FinalizeWait {
  /** How long to wait for each lock. Batches use the short default: what a lock holds up is tried again later. */
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

/** With `EndingsFailed`, only the endings that it names failed; any other error is thrown on: all of them did. */
export function failedTickets(error: unknown): EndingsFailed {
  if (error instanceof EndingsFailed) return error
  throw error
}

interface Failure {
  ticket: Ticket
  error: unknown
}

export function createFinalize(options: FinalizeOptions): Finalize {
  const { database, clock, newId } = options
  const finish = createFinish(database)

  /**
   * Settles all endings except those that a lock holds up. On another error, halves the batch until the endings that
   * fail are found.
   */
  async function settle(endings: readonly Ending[], wait: FinalizeWait): Promise<Settled> {
    try {
      const finished = await finish(endings, { now: clock.now(), newId, ...wait })
      return { ...finished, failures: [] }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (endings.length === 1) return failed(endings, error)
      const [locked, free] = error instanceof RowLocked ? await splitByLocks(endings) : [[], endings]
      if (locked.length > 0) return join(failed(locked, error), await settle(free, wait))
      const middle = endings.length >> 1
      return join(await settle(endings.slice(0, middle), wait), await settle(endings.slice(middle), wait))
    }
  }

  /** The endings whose wallet or message another session has locked right now, and the others. */
  async function splitByLocks(endings: readonly Ending[]): Promise<[Ending[], Ending[]]> {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const free = await database.write((tx) => freeMessages(tx, tickets))
    return [
      endings.filter(({ ticket }) => !free.has(ticket)),
      endings.filter(({ ticket }) => free.has(ticket)),
    ]
  }

  return async function finalize(endings, wait = {}) {
    if (endings.length === 0) return
    const { settled, walletIds, callbacks, failures } = await settle(endings, wait)
    if (settled.length > 0) options.onFinal(settled, walletIds)
    if (callbacks.length > 0) options.onCallbacks(callbacks)
    const [only] = failures
    if (only && endings.length === 1) throw only.error
    if (failures.length > 0) throw new EndingsFailed(failures)
  }
}

interface Settled extends Finished {
  failures: Failure[]
}

function failed(endings: readonly Ending[], error: unknown): Settled {
  return {
    settled: [],
    walletIds: new Set(),
    callbacks: [],
    failures: endings.map(({ ticket }) => ({ ticket, error })),
  }
}

function join(some: Settled, others: Settled): Settled {
  return {
    settled: [...some.settled, ...others.settled],
    walletIds: new Set([...some.walletIds, ...others.walletIds]),
    callbacks: [...some.callbacks, ...others.callbacks],
    failures: [...some.failures, ...others.failures],
  }
}
