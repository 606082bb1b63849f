import { halve } from '../../flow/batch.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { type Ending, type EndMessages, freeMessages } from '../../messages/index.ts'
import { type Database, RowLocked } from '../../store/database.ts'
import type { Finish, Finished } from './finish.ts'

interface Ends {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  finish: Pick<Finish, 'all'>
  /** Called after a commit with the endings that made messages final, and about these messages. */
  onFinal(endings: readonly Ending[], about: Pick<Finished, 'walletIds' | 'ended'>): void
}

/** Makes messages final, and leaves out those that cannot be, as {@link EndMessages} says. */
export async function endMessages(
  ends: Ends,
  endings: readonly Ending[],
  wait: Parameters<EndMessages>[1] = {},
): Promise<void> {
  const { database, clock, newId, finish } = ends
  const finished: Finished[] = []
  const failures: Failure[] = []
  function fail(some: readonly Ending[], error: unknown): void {
    for (const { ticket } of some) failures.push({ ticket, error })
  }
  await halve(endings, {
    async run(some) {
      finished.push(await finish.all(some, { now: clock.now(), newId, ...wait }))
    },
    async leaveOut(some, error) {
      if (!(error instanceof RowLocked)) return some
      const free = await freeOf(database, some)
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
  const ended = finished.flatMap((each) => each.ended)
  if (settled.length > 0) ends.onFinal(settled, { walletIds, ended })
  const [first] = failures
  const all = failures.length === endings.length && failures.every(({ error }) => error === first?.error)
  if (first && all) throw first.error
  if (first) throw new EndingsFailed(failures)
}

/** The tickets of the endings whose wallet and message no other session has locked right now. */
function freeOf(database: Database, endings: readonly Ending[]): Promise<ReadonlySet<Ticket>> {
  const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
  return database.write((tx) => freeMessages(tx, tickets))
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
