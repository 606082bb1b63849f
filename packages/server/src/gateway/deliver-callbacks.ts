import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { type DueCallback, dueCallbacks, insertAttempts, setCallbackState } from '../store/callbacks.ts'
import type { Database } from '../store/database.ts'
import { type Job, removeHeld, reschedule } from '../store/outbox.ts'
import { createBatcher, type Outcome } from './batcher.ts'
import { callbackPayload } from './callback-payload.ts'
import { type AfterAttempt, afterAttempt } from './callback-plan.ts'
import { signatureHeaders } from './callback-signature.ts'
import type { Outbound, OutboundResult } from './ports.ts'
import { createReceiverShare } from './receiver-share.ts'

export interface DeliverOptions {
  database: Database
  clock: Clock
  outbound: Outbound
  random(): number
  /** The secrets that an account's callbacks are signed with: one, or two during a rotation. */
  secretsOf(accountId: string): Promise<string[]>
  timeoutMs: number
  /** One line per attempt for the log. */
  onAttempt(attempt: { callback: DueCallback; result: OutboundResult; next: AfterAttempt }): void
}

/**
 * A callback whose receiver has enough of them under way waits half as long as it has waited already, and up to as
 * much again at random: the longer a receiver is silent, the less often its backlog is looked at.
 */
const SHORTEST_PUT_OFF_MS = 5_000
const LONGEST_PUT_OFF_MS = 300_000
const MOST_REPLY_BYTES = 64 * 1024
const KEPT_REPLY_CHARACTERS = 512

interface Attempt {
  job: Job
  startedAt: EpochMs
  result: OutboundResult
  next: AfterAttempt
}

/** Says of each callback that it is done with, since a receiver that does not answer holds up only its own. */
type DeliverCallbacks = (jobs: readonly Job[], done: (job: Job) => void) => Promise<void>

/** Posts claimed callbacks, all at once, and records what came of each. */
export function createDeliverCallbacks(options: DeliverOptions): DeliverCallbacks {
  const { database, clock, outbound, random, secretsOf, timeoutMs } = options
  const record = createBatcher<Attempt, void>({
    async run(attempts) {
      await database.write(
        async (connection) => {
          await insertAttempts(connection, attempts.map(attemptRow))
          // A replay, or another process that has claimed the job since, has the say over what comes next.
          const ended = attempts.filter(({ next }) => next.kind !== 'again')
          const held = await removeHeld(
            connection,
            ended.map(({ job }) => job),
          )
          for (const state of ['delivered', 'dead'] as const) {
            const reached = ended.filter(({ job, next }) => next.kind === state && held.has(job.id))
            await setCallbackState(
              connection,
              state,
              reached.map(({ job }) => job.id),
            )
          }
          await reschedule(
            connection,
            attempts.flatMap((attempt) => again(attempt, clock.now())),
          )
        },
        { patient: true },
      )
      return attempts.map((): Outcome<void> => ({ value: undefined }))
    },
    weigh: () => 1,
    maxWeight: 500,
    maxWaiting: { weight: 100_000, error: () => new Error('too many attempts wait to be recorded') },
  })

  const share = createReceiverShare()

  async function deliver(job: Job, callback: DueCallback): Promise<void> {
    const startedAt = clock.now()
    const result = await post(callback, startedAt)
    const next = afterAttempt(result, job.attempts + 1, { now: clock.now(), random })
    options.onAttempt({ callback, result, next })
    await record({ job, startedAt, result, next })
  }

  async function post(callback: DueCallback, now: EpochMs): Promise<OutboundResult> {
    const { id, url, accountId } = callback
    const payload = callbackPayload(callback)
    let inTime = true
    try {
      const result = await outbound({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Wigwag-Callback/1',
          ...signatureHeaders(await secretsOf(accountId), { id, payload, now }),
        },
        body: Buffer.from(payload),
        timeoutMs,
        maxReplyBytes: MOST_REPLY_BYTES,
      })
      inTime = result.kind === 'reply' || result.failure !== 'timeout'
      return result
    } finally {
      share.give(hostOf(url), inTime)
    }
  }

  /** Puts callbacks off that were not tried, so that they take no room while they wait. */
  async function putOff(early: readonly Early[], done: (job: Job) => void): Promise<void> {
    if (early.length === 0) return
    const now = clock.now()
    const steps = early.map(({ job, createdAt }) => {
      const pause = Math.min(Math.max((now - createdAt) / 2, SHORTEST_PUT_OFF_MS), LONGEST_PUT_OFF_MS)
      return { ...job, kind: 'callback' as const, runAt: now + Math.round(pause * (1 + random())) }
    })
    await database.write((connection) => reschedule(connection, steps), { patient: true })
    for (const { job } of early) done(job)
  }

  return async function deliverCallbacks(jobs, done) {
    const callbacks = await database.read((connection) =>
      dueCallbacks(
        connection,
        jobs.map(({ id }) => id),
      ),
    )
    const early: Early[] = []
    const under: Promise<void>[] = []
    for (const job of jobs) {
      const callback = callbacks.get(job.id)
      if (!callback) done(job)
      else if (share.take(hostOf(callback.url))) under.push(deliver(job, callback).finally(() => done(job)))
      else early.push({ job, createdAt: callback.createdAt })
    }
    await Promise.all([putOff(early, done), ...under])
  }
}

interface Early {
  job: Job
  createdAt: EpochMs
}

/** Where a callback goes; one whose address cannot be read stands for itself. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function again({ job, next }: Attempt, now: EpochMs) {
  if (next.kind !== 'again') return []
  const { id, epoch, carrierRef, submittedAt } = job
  const runAt = epochMs(now + next.delayMs)
  return [
    {
      id,
      epoch,
      kind: 'callback' as const,
      runAt,
      attempts: job.attempts + 1,
      lapsed: false,
      carrierRef,
      submittedAt,
    },
  ]
}

function attemptRow({ job, startedAt, result }: Attempt) {
  const common = { callbackId: job.id, startedAt, latencyMs: Math.round(result.latencyMs) }
  if (result.kind === 'failure')
    return { ...common, httpStatus: null, errorClass: result.failure, reply: result.detail }
  const ok = result.status >= 200 && result.status < 300
  return {
    ...common,
    httpStatus: result.status,
    errorClass: ok ? null : 'http_status',
    reply: beginning(result.body),
  }
}

/** The first bytes of a reply as text that every engine can store. */
function beginning(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, KEPT_REPLY_CHARACTERS))
  return text.replaceAll('\0', '\uFFFD')
}
