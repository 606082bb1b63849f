import { type Departure, firstJob, type NewMessage } from '../../messages/index.ts'
import { bornClaimed } from '../../platform/jobs/outbox.ts'
import type { Due, ReservedCapacity } from '../../platform/jobs/queue.ts'
import type { Worker } from '../../platform/jobs/worker.ts'

/** Reserves capacity for messages that are about to be stored. Call `begin` after their commit, or `giveBack`. */
export type Depart = (messages: readonly NewMessage[]) => OpenDeparture

export interface OpenDeparture extends Departure {
  /** Starts sending the stored messages, and releases the capacity of the others. */
  begin(stored: readonly NewMessage[]): void
  giveBack(): void
}

export interface DepartOptions {
  worker: Pick<Worker, 'reserve' | 'notify'>
  /** The carrier to which a message goes first; empty when none takes it. */
  laneOf(message: NewMessage): string
  validityMs: number
}

const dueOfMessage = ({ walletId, createdAt }: NewMessage): Due => ({ owner: walletId, runAt: createdAt })

/**
 * Messages whose carrier has capacity are stored as already claimed, and submitted without another statement. The others
 * are stored as jobs that any process may claim.
 */
export function createDepart({ worker, laneOf, validityMs }: DepartOptions): Depart {
  return function depart(messages) {
    const lanes = Map.groupBy(messages, laneOf)
    const capacities = new Map<string, ReservedCapacity>()
    const laneById = new Map<string, string>()
    const leases = new Map<string, number>()
    for (const [lane, group] of lanes) {
      const capacity = worker.reserve(
        { kind: 'dispatch', lane },
        group.map(({ walletId }) => walletId),
      )
      if (capacity) capacities.set(lane, capacity)
      for (const [index, { id }] of group.entries()) {
        laneById.set(id, lane)
        if (capacity?.has(index)) leases.set(id, capacity.leaseMs)
      }
    }
    const departure: Departure = {
      laneOf: ({ id }) => laneById.get(id) ?? '',
      leaseMs: ({ id }) => leases.get(id),
    }
    const jobOf = (message: NewMessage) => ({
      ...bornClaimed(firstJob(message, { validityMs, departure })),
      message,
    })
    return {
      ...departure,
      begin(stored) {
        const jobs = Map.groupBy(stored, departure.laneOf)
        for (const lane of lanes.keys()) {
          const group = jobs.get(lane) ?? []
          const claimed = group.filter(({ id }) => leases.has(id))
          capacities.get(lane)?.begin(claimed.map(jobOf))
          const others = group.filter(({ id }) => !leases.has(id))
          if (others.length > 0) worker.notify({ kind: 'dispatch', lane }, others.map(dueOfMessage))
        }
      },
      giveBack() {
        for (const capacity of capacities.values()) capacity.giveBack()
      },
    }
  }
}
