import type { DepartCallbacks } from '../../callbacks/index.ts'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { freeMessages } from '../../messages/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Database, RowLocked } from '../../platform/database/database.ts'
import { halve } from '../../platform/halve.ts'
import type { Ending } from './endings.ts'
import { createFinish, type Finished } from './finish.ts'

export interface EndMessagesOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Chooses which callbacks are posted from here at once. Without it, another process posts them. */
  departCallbacks?: DepartCallbacks | undefined
  /** Called after a commit with the endings that made messages final, and the wallets of these messages. */
  onFinal(endings: readonly Ending[], walletIds: ReadonlySet<string>): void
}

/**
 * Makes messages final: the first ending wins, later ones are only recorded. If some cannot be settled, the others are
 * settled before this rejects, with `EndingsFailed` or, when none can be, with what failed them.
 */
export type EndMessages = (endings: readonly Ending[], options?: EndMessagesWait) => Promise<void>

export interface EndMessagesWait {
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

export function createEndMessages(options: EndMessagesOptions): EndMessages {
  const { database, clock, newId } = options
  const finish = createFinish(database, options.departCallbacks)

  /** The tickets of the endings whose wallet and message no other session has locked right now. */
  function freeOf(endings: readonly Ending[]): Promise<ReadonlySet<Ticket>> {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    return database.write((tx) => freeMessages(tx, tickets))
  }

  return async function endMessages(endings, wait = {}) {
    const finished: Finished[] = []
    const failures: Failure[] = []
    function fail(some: readonly Ending[], error: unknown): void {
      for (const { ticket } of some) failures.push({ ticket, error })
    }
    await halve(endings, {
      async run(some) {
        finished.push(await finish(some, { now: clock.now(), newId, ...wait }))
      },
      async leaveOut(some, error) {
        if (!(error instanceof RowLocked)) return some
        const free = await freeOf(some)
        fail(
          some.filter(({ ticket }) => !free.has(ticket)),
          error,
        )
        return some.filter(({ ticket }) => free.has(ticket))
      },
      fail,
    })
    const settled = finished.flatMap((each) => each.settled)
    const walletIds = new Set(finished.flatMap((each) => [...each.walletIds]))
    if (settled.length > 0) options.onFinal(settled, walletIds)
    const [first] = failures
    const all = failures.length === endings.length && failures.every(({ error }) => error === first?.error)
    if (first && all) throw first.error
    if (first) throw new EndingsFailed(failures)
  }
}
