import type { Tx } from '../platform/database/database.ts'
import { FAR_MS } from '../platform/jobs/outbox.ts'
import { OWN_JOBS, OWN_REFS, type Owner } from './belongings.ts'

/**
 * While an account moves nothing of it is worked on. Its jobs wait in lanes that no gateway serves, for a time that does
 * not come; and its references are those of carriers that no gateway has, so that a receipt waits for its message like any
 * that came early.
 */

/** What the lane or the carrier of a cell is called elsewhere: carriers themselves have no slash. */
export function nameElsewhere(cell: string, carrier: string): string {
  return `${cell}/${carrier}`
}

export interface FreezeOptions {
  cell: string
  now: number
  /**
   * Whether messages that wait for a receipt are set aside too, and not their references alone: a gateway may be about to
   * end them by receipts that it found the message of before.
   */
  awaiting: boolean
}

/** Sets aside what can be. Returns how many jobs are left, which gateways work on: they have to end first. */
export async function freeze(
  { run }: Tx,
  { walletIds }: Owner,
  { cell, now, awaiting }: FreezeOptions,
): Promise<number> {
  let left = 0
  const jobs = `${OWN_JOBS} AND run_at < ${FAR_MS} ${awaiting ? '' : `AND kind <> 'await'`}`
  // What came from a third cell keeps the name by which that one knows it.
  const renamed = (name: string) => `CASE WHEN strpos(${name}, '/') = 0 THEN $2 || ${name} ELSE ${name} END`
  for (const walletId of walletIds) {
    await run(
      `UPDATE outbox SET run_at = run_at + ${FAR_MS}, lane = ${renamed('lane')}
       WHERE ${jobs} AND lease_until <= $3 AND kind <> 'dispatch'`,
      [walletId, nameElsewhere(cell, ''), now],
    )
    await run(`UPDATE carrier_refs SET carrier = ${renamed('carrier')} WHERE ${OWN_REFS}`, [
      walletId,
      nameElsewhere(cell, ''),
    ])
    const [row] = await run<{ jobs: number }>(`SELECT count(*) AS jobs FROM outbox WHERE ${jobs}`, [walletId])
    left += row?.jobs ?? 0
  }
  return left
}

/** The text of a column without what the cell put in front of it. */
const without = (cell: string, column: string) =>
  `CASE WHEN starts_with(${column}, ${cell}) THEN substr(${column}, length(${cell}) + 1) ELSE ${column} END`

/**
 * Lets gateways work on the jobs. Elsewhere, messages that wait for a receipt stay with the carrier of the cell that they
 * left: another one would be asked about references that are not its own.
 */
export async function thaw(
  { run }: Tx,
  { walletIds }: Owner,
  { cell, elsewhere }: { cell: string; elsewhere: boolean },
): Promise<void> {
  const lane = without('$2', 'lane')
  for (const walletId of walletIds)
    await run(
      `UPDATE outbox SET run_at = run_at - ${FAR_MS},
         lane = ${elsewhere ? `CASE WHEN kind = 'await' THEN lane ELSE ${lane} END` : lane}
       WHERE ${OWN_JOBS} AND run_at >= ${FAR_MS}`,
      [walletId, nameElsewhere(cell, '')],
    )
}

/** Gives the references their carriers back, except where a receipt waits by the same name. Returns how many are left. */
export async function returnRefs({ run }: Tx, { walletIds }: Owner, cell: string): Promise<number> {
  let left = 0
  for (const walletId of walletIds) {
    const values = [walletId, nameElsewhere(cell, '')]
    await run(
      `UPDATE carrier_refs r SET carrier = ${without('$2', 'carrier')}
       WHERE ${OWN_REFS} AND starts_with(carrier, $2) AND NOT EXISTS (
         SELECT 1 FROM carrier_refs e WHERE e.carrier = ${without('$2', 'r.carrier')} AND e.ref = r.ref)`,
      values,
    )
    const [row] = await run<{ refs: number }>(
      `SELECT count(*) AS refs FROM carrier_refs WHERE ${OWN_REFS} AND starts_with(carrier, $2)`,
      values,
    )
    left += row?.refs ?? 0
  }
  return left
}
