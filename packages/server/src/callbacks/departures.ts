import { dueOf } from '../flow/jobs/claim.ts'
import { bornClaimed } from '../flow/jobs/outbox.ts'
import type { Worker } from '../flow/jobs/worker.ts'
import { callbackJob, type DueCallback, LANE, type NewCallback } from './rows.ts'

/** Reserves places for callbacks that are about to be stored. Call `begin` after their commit, or `giveBack`. */
export type DepartCallbacks = (callbacks: readonly NewCallback[]) => CallbackDeparture

export interface CallbackDeparture {
  /** The lease of a callback that is stored as already claimed; undefined for one that any process may claim. */
  leaseMs(callback: NewCallback): number | undefined
  /** Posts the stored callbacks that have a place, and releases the other places. */
  begin(stored: readonly DueCallback[]): void
  giveBack(): void
}

/** The process that ends a message posts its callback without claiming it first, as long as there are places. */
export function departCallbacks(
  worker: Pick<Worker, 'reserve' | 'notify'>,
  /** Gets the callbacks that are about to be posted, by id, so that they are not read again. */
  loaded: Map<string, DueCallback>,
  callbacks: readonly NewCallback[],
): CallbackDeparture {
  const accountIds = callbacks.map(({ accountId }) => accountId)
  const capacity = worker.reserve(LANE, accountIds)
  const placed = new Set(callbacks.flatMap(({ id }, index) => (capacity?.has(index) ? [id] : [])))
  const leaseMs = ({ id }: { id: string }) => (placed.has(id) ? capacity?.leaseMs : undefined)
  const jobOf = (callback: DueCallback) => callbackJob(callback, callback.createdAt, leaseMs(callback))
  return {
    leaseMs,
    begin(stored) {
      const claimed = stored.filter(({ id }) => placed.has(id))
      for (const callback of claimed) loaded.set(callback.id, callback)
      capacity?.begin(claimed.map((callback) => bornClaimed(jobOf(callback))))
      const others = stored.filter(({ id }) => !placed.has(id))
      if (others.length > 0) worker.notify(LANE, others.map(jobOf).map(dueOf))
    },
    giveBack: () => capacity?.giveBack(),
  }
}

/** Where no gateway runs: another process posts the callbacks. */
export const departLater: DepartCallbacks = () => ({
  leaseMs: () => undefined,
  begin() {},
  giveBack() {},
})
