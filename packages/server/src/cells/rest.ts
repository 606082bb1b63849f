import { type MovingMark, OperatorError } from '../accounts/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { factsIn } from '../platform/database/facts.ts'
import type { Owner } from './belongings.ts'
import type { Cell } from './cell.ts'
import { freeze } from './freeze.ts'

export interface RestOptions {
  cell: Cell
  /** How long to wait for what is being sent, and how often to look; every second when left out. */
  waitMs: number
  askMs?: number
  /** How long gateways remember who was let in; three seconds when left out, which is more than they do. */
  rememberedMs?: number
  /** Told how much is still worked on. */
  onWait(left: number): void
}

const ASK_MS = 1_000
const REMEMBERED_MS = 3_000

/**
 * Waits until nothing of an account changes any more. Sends and endings are refused by their own transactions from when
 * the move was noted; those that began before are waited for, as is what is being handed to carriers.
 */
export async function comeToRest(
  { cell: { database, clock }, waitMs, askMs = ASK_MS, rememberedMs = REMEMBERED_MS, onWait }: RestOptions,
  owner: Owner,
  { from }: Pick<MovingMark, 'from'>,
): Promise<void> {
  const { now: begunAt } = await database.read((tx) => factsIn(tx, database.engine))
  for (let waited = 0; ; waited += askMs) {
    const awaiting = waited >= rememberedMs
    const left = await database.write(async (tx) => {
      const older = await transactionsBefore(tx, begunAt)
      return older + (await freeze(tx, owner, { cell: from, now: clock.now(), awaiting }))
    })
    if (left === 0 && awaiting) return
    if (left > 0) onWait(left)
    if (left > 0 && waited >= waitMs)
      throw new OperatorError(
        `${left} messages or callbacks of account ${owner.accountId} are still being sent: go on with the same command, or take it back with --undo`,
      )
    await new Promise((resolve) => setTimeout(resolve, askMs))
  }
}

async function transactionsBefore({ run }: Tx, at: number): Promise<number> {
  const [row] = await run<{ transactions: number }>(
    `SELECT count(*) AS transactions FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND usename = (SELECT tableowner FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'wallets')
       AND backend_type = 'client backend' AND state <> 'idle' AND extract(epoch FROM xact_start) * 1000 <= $1`,
    [at],
  )
  return row?.transactions ?? 0
}
