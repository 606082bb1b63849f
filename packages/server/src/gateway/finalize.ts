import type { Clock } from '../clock.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { type Database, RowLocked, StoreUnavailable } from '../store/database.ts'
import type { Ending } from '../store/endings.ts'
import { createFinish, type Finished } from '../store/finish.ts'
import { freeMessages } from '../store/messages.ts'
import type { Receipt } from './ports.ts'

/** What a receipt says, and when the carrier took the message. */
export function endingOf({ ticket, verdict, carrierRef, reason }: Receipt, submittedAt: number): Ending {
  return { ticket, status: verdict, carrierRef, submittedAt, ...(reason === undefined ? {} : { reason }) }
}

export interface FinalizeOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Told after a commit that callbacks wait to be posted. */
  onCallbacks(): void
  /** Told after a commit which messages became final. */
  onFinal(endings: readonly Ending[]): void
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

export function createFinalize(options: FinalizeOptions): Finalize {
  const { database, clock, newId } = options
  const finish = createFinish(database)

  /**
   * Settles all of them, but for those that a lock holds up; or half and half, until those that can't be settled
   * stand alone.
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

  /** The endings whose wallet or message another session holds locked at this moment, and the others. */
  async function splitByLocks(endings: readonly Ending[]): Promise<[Ending[], Ending[]]> {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const free = await database.write((connection) => freeMessages(connection, tickets))
    return [
      endings.filter(({ ticket }) => !free.has(ticket)),
      endings.filter(({ ticket }) => free.has(ticket)),
    ]
  }

  return async function finalize(endings, wait = {}) {
    if (endings.length === 0) return
    const { settled, callbacks, failures } = await settle(endings, wait)
    if (settled.length > 0) options.onFinal(settled)
    if (callbacks > 0) options.onCallbacks()
    const [only] = failures
    if (only && endings.length === 1) throw only.error
    if (failures.length > 0) throw new EndingsFailed(failures)
  }
}

interface Settled extends Finished {
  failures: Failure[]
}

function failed(endings: readonly Ending[], error: unknown): Settled {
  return { settled: [], callbacks: 0, failures: endings.map(({ ticket }) => ({ ticket, error })) }
}

function join(some: Settled, others: Settled): Settled {
  return {
    settled: [...some.settled, ...others.settled],
    callbacks: some.callbacks + others.callbacks,
    failures: [...some.failures, ...others.failures],
  }
}
