import { type AfterAttempt, afterAttempt, signatureHeaders, signingKey } from '../callbacks/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { type Job, removeHeld, reschedule } from '../platform/jobs/outbox.ts'
import { all } from '../platform/jobs/queue.ts'
import { failedBefore, type Outbound, type OutboundResult } from '../platform/outbound/port.ts'
import { type DueEvent, deleteEvent, dueEvent, eventPayload, LANE } from './rows.ts'

export interface DeliverEventsOptions {
  database: Database
  clock: Clock
  outbound: Outbound
  random(): number
  /** The time that the receiver compares with its own clock, which a sandbox's may be ahead of; else the clock's. */
  realNow?: (() => EpochMs) | undefined
  webhook: { url: string; secrets: readonly string[] } | undefined
  timeoutMs: number
  /** Called after a commit when an event is to be posted again. */
  onAgain(runAt: EpochMs): void
  /** Called once per attempt, for the log. */
  onAttempt(attempt: { event: DueEvent; result: OutboundResult; next: AfterAttempt }): void
}

const MOST_REPLY_BYTES = 1_024
/** Counts as an attempt that failed, because another gateway may have the setting already. */
const NO_WEBHOOK = { ...failedBefore('connect_failed', 'WIGWAG_OPERATOR_WEBHOOK is not set'), latencyMs: 0 }

/** Posts claimed events to the operator's webhook, by the plan of callbacks. An event goes when it was taken or given up. */
export function createDeliverEvents(options: DeliverEventsOptions) {
  const { database, clock, outbound, random, realNow = clock.now, webhook, timeoutMs } = options
  const keys = webhook?.secrets.map(signingKey) ?? []

  async function post(event: DueEvent): Promise<OutboundResult> {
    if (!webhook) return NO_WEBHOOK
    const payload = eventPayload(event)
    return outbound({
      method: 'POST',
      url: webhook.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Wigwag-Event/1',
        ...signatureHeaders(keys, { id: event.id, payload, now: realNow() }),
      },
      body: Buffer.from(payload),
      timeoutMs,
      maxReplyBytes: MOST_REPLY_BYTES,
    })
  }

  async function deliver(job: Job): Promise<void> {
    const event = await database.read((tx) => dueEvent(tx, job.id))
    if (!event) {
      await database.write((tx) => removeHeld(tx, [job]), { patient: true })
      return
    }
    const result = await post(event)
    const attempts = job.attempts + 1
    const next = afterAttempt(result, attempts, { now: realNow(), random })
    options.onAttempt({ event, result, next })
    if (next.kind === 'again') {
      const runAt = epochMs(clock.now() + next.delayMs)
      const step = { ...job, ...LANE, runAt, attempts, lapsed: false }
      await database.write((tx) => reschedule(tx, [step]), { patient: true })
      options.onAgain(runAt)
      return
    }
    await database.write(
      async (tx) => {
        const held = await removeHeld(tx, [job])
        if (held.has(job.id)) await deleteEvent(tx, job.id)
      },
      { patient: true },
    )
  }

  return async function deliverEvents(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    await all(jobs.map((job) => deliver(job).then(() => done(job))))
  }
}
