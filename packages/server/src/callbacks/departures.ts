import type { Due, Job, Room } from '../platform/jobs/queue.ts'
import type { LaneName, Worker } from '../platform/jobs/worker.ts'
import type { DueCallback, NewCallback } from './rows.ts'

/** Reserves places for callbacks that are about to be stored. Call `begin` after their commit, or `giveBack`. */
export type DepartCallbacks = (callbacks: readonly NewCallback[]) => CallbackDeparture

export interface CallbackDeparture {
  /** The lease of a callback that is stored as already claimed; undefined for one that any process may claim. */
  leaseMs(callback: NewCallback): number | undefined
  /** Posts the stored callbacks that have a place, and releases the other places. */
  begin(stored: readonly DueCallback[]): void
  giveBack(): void
}

export interface DepartCallbacksOptions {
  worker: Pick<Worker, 'room' | 'told'>
  lane: LaneName
  /** Called with a callback that is about to be posted, so that it is not read again. */
  onLoaded(callback: DueCallback): void
}

/** The process that ends a message posts its callback without claiming it first, as long as there are places. */
export function createDepartCallbacks({ worker, lane, onLoaded }: DepartCallbacksOptions): DepartCallbacks {
  return function depart(callbacks) {
    const room: Room | undefined =
      callbacks.length > 0
        ? worker.room(
            lane,
            callbacks.map(({ accountId }) => accountId),
          )
        : undefined
    const placed = new Set(callbacks.flatMap(({ id }, index) => (room?.has(index) ? [id] : [])))
    return {
      leaseMs: ({ id }) => (placed.has(id) ? room?.leaseMs : undefined),
      begin(stored) {
        const claimed = stored.filter(({ id }) => placed.has(id))
        for (const callback of claimed) onLoaded(callback)
        room?.begin(claimed.map(jobOf))
        const others = stored.filter(({ id }) => !placed.has(id))
        if (others.length > 0) worker.told(lane, others.map(dueOfCallback))
      },
      giveBack: () => room?.giveBack(),
    }

    function jobOf({ id, accountId, createdAt }: DueCallback): Job {
      return {
        ...{ id, lane: lane.lane, owner: accountId, runAt: createdAt, epoch: 1, attempts: 0, faults: 0 },
        ...{
          lapsed: false,
          carrierRef: undefined,
          submittedAt: 0,
          handedAt: 0,
          expiresAt: 0,
          longRef: undefined,
        },
      }
    }
  }
}

/** Where no gateway runs: another process posts the callbacks. */
export const departLater: DepartCallbacks = () => ({
  leaseMs: () => undefined,
  begin() {},
  giveBack() {},
})

function dueOfCallback({ accountId, createdAt }: DueCallback): Due {
  return { owner: accountId, runAt: createdAt }
}
