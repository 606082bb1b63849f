import type { ReservedCapacity } from '../../flow/jobs/lanes.ts'
import { bornClaimed, type Job, reschedule } from '../../flow/jobs/outbox.ts'
import { all, type Due } from '../../flow/jobs/queue.ts'
import type { Worker } from '../../flow/jobs/worker.ts'
import { FAILURES, type OutgoingMessage } from '../../kernel/message.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import {
  addToTotals,
  countSent,
  type Departure,
  firstJob,
  markDue,
  type NewMessage,
  type OpenDeparture,
} from '../../messages/index.ts'
import type { Database } from '../../store/database.ts'
import type { Choice } from '../plan/index.ts'
import { type Decision, type Decisions, decided, expired, step, withMessages } from './decisions.ts'

const dueOfMessage = ({ walletId, createdAt }: NewMessage): Due => ({ owner: walletId, runAt: createdAt })

/**
 * Messages whose carrier has capacity are stored as already claimed, and submitted without another statement. The others
 * are stored as jobs that any process may claim.
 */
export function depart(
  {
    worker,
    laneOf,
    validityMs,
  }: {
    worker: Pick<Worker, 'reserve' | 'notify'>
    /** The carrier to which a message goes first; empty when none takes it. */
    laneOf(message: NewMessage): string
    validityMs: number
  },
  messages: readonly NewMessage[],
): OpenDeparture {
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

/** How long a message without a carrier waits while a new file of carriers goes round. */
const DISAGREED_MS = 30_000

/**
 * Makes scheduled messages pending when their time has come, and returns the wallets of those that are pending now. A
 * cancellation races with this for the job; the later one finds nothing to do. Every claimed job moves on to dispatch: if
 * its message is no longer scheduled, either the cancellation removed the job, or an earlier claim released the message
 * and lapsed before its job was moved.
 */
export async function releaseScheduled(
  { database, clock }: { database: Database; clock: Clock },
  jobs: readonly Job[],
): Promise<ReadonlySet<string>> {
  const due = await database.write(
    async (tx) => {
      const now = clock.now()
      await reschedule(
        tx,
        jobs.map((job) => ({ ...job, kind: 'dispatch', lane: '', runAt: now, attempts: 0, lapsed: false })),
      )
      const released = await markDue(
        tx,
        jobs.map(({ id }) => id),
        now,
      )
      await addToTotals(tx, released.map(countSent))
      return released
    },
    { patient: true },
  )
  return new Set(due.map(({ walletId }) => walletId))
}

interface Routing {
  database: Database
  clock: Clock
  choice: Pick<Choice, 'ways'>
  /** Whether every process has the same carriers and routes now. */
  agree(): Promise<boolean>
  decisions: Pick<Decisions, 'store'>
}

/** Chooses the carrier of messages that have none yet: released ones, and those of carriers that were removed. */
export async function route(routing: Routing, jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
  const outgoing = await withMessages(routing.database, jobs)
  await all(
    outgoing.map(async ({ job, message }) => {
      await routing.decisions.store(await decide(routing, job, message))
      done(job)
    }),
  )
}

async function decide(
  { choice, clock, agree }: Routing,
  job: Job,
  message: OutgoingMessage,
): Promise<Decision> {
  const [lane] = choice.ways(message)
  const now = clock.now()
  if (now >= job.expiresAt) return expired(job, FAILURES.neverSubmitted)
  const { lapsed } = job
  if (lane !== undefined)
    return { step: step(job, { kind: 'dispatch', lane, runAt: now, lapsed, carrierRef: null }) }
  // A process with another file may know its carrier.
  if (await agree()) return { ending: decided(job, 'rejected', FAILURES.noCarrier) }
  const runAt = Math.min(now + DISAGREED_MS, job.expiresAt)
  return { step: step(job, { kind: 'dispatch', runAt, lapsed }) }
}
