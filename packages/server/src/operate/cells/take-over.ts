import { type MovingMark, OperatorError, readMovingMark, writeMovingMark } from '../../accounts/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Cell, Cells } from './cell.ts'

/**
 * A move may wait for days, so another command may go on with it or take it back meanwhile. The last one that came is
 * noted on both sides, and every write of an earlier one is refused.
 */

/** Lets a run of a command go on with a move. Undefined when the account does not move. */
export async function takeOver(
  { source, target }: Cells,
  accountId: string,
  run: string,
): Promise<MovingMark | undefined> {
  const mark = await source.database.write(async (tx) => {
    await lockMark(tx, accountId)
    const before = await readMovingMark(tx, accountId)
    if (!before) return undefined
    if (before.to !== target.name)
      throw new OperatorError(`account ${accountId} is moving to ${before.to}, not to ${target.name}`)
    const now = { ...before, run }
    await writeMovingMark(tx, accountId, now)
    return now
  })
  if (mark) await noteInTarget(target, accountId, mark)
  return mark
}

/** Notes the move in the target, unless it was handed over and the target has no mark any more: then the account has arrived. */
export async function noteInTarget({ database }: Cell, accountId: string, mark: MovingMark): Promise<void> {
  await database.write(async (tx) => {
    await lockMark(tx, accountId)
    const there = await readMovingMark(tx, accountId)
    if (there || !mark.handedOver) await writeMovingMark(tx, accountId, mark)
  })
}

/** A cell whose writes are refused once another run has taken the move over. */
export function asRun<C extends Cell>(cell: C, accountId: string, run: string): C {
  const { database } = cell
  return {
    ...cell,
    database: {
      ...database,
      write: (work, options) =>
        database.write(async (tx) => {
          await lockMark(tx, accountId)
          await requireRun(tx, accountId, run)
          return work(tx)
        }, options),
    },
  }
}

export async function requireRun(tx: Tx, accountId: string, run: string): Promise<void> {
  const mark = await readMovingMark(tx, accountId)
  if (mark?.run === run) return
  throw new OperatorError(
    `another command goes on with the move of account ${accountId}, or has taken it back: this one ends`,
  )
}

async function lockMark({ run, locks }: Tx, accountId: string): Promise<void> {
  await run(`SELECT name FROM settings WHERE name = $1 ${locks.forUpdate}`, [`moving:${accountId}`])
}
