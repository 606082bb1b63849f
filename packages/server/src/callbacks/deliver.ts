import type { KeyObject } from 'node:crypto'
import type { Backlog } from '../flow/backlog.ts'
import { Batch, storeHalving } from '../flow/batch.ts'
import { type Job, removeHeld, reschedule } from '../flow/jobs/outbox.ts'
import { all } from '../flow/jobs/queue.ts'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Outbound } from '../net/outbound/port.ts'
import type { Tx } from '../store/database.ts'
import { type AfterAttempt, afterAttempt, type PostResult } from './after-attempt.ts'
import { hostOf } from './failing.ts'
import { GoneReceivers, type ReceiverShare } from './receivers.ts'
import {
  type DueCallback,
  dueCallbacks,
  insertAttempts,
  LANE,
  lockCallbacks,
  setCallbackState,
} from './rows.ts'
import { callbackPayload, signatureHeaders } from './signing.ts'

const MOST_REPLY_BYTES = 64 * 1024
const KEPT_REPLY_BYTES = 2_048

interface Attempt {
  job: Job
  startedAt: EpochMs
  result: PostResult
  next: AfterAttempt
}

/** Posts claimed callbacks concurrently and records the result of each. */
export class CallbackPoster {
  readonly #parts: PosterParts
  readonly #own: Own
  readonly #record: Batch<Attempt, void>
  readonly #gone: GoneReceivers

  constructor(parts: PosterParts, own: Own) {
    const { database, clock, backlog } = parts
    this.#parts = parts
    this.#own = own
    this.#gone = new GoneReceivers(() => clock.elapsed())
    this.#record = new Batch({
      run: storeHalving((attempts) => this.#store(attempts)),
      weigh: () => 1,
      maxWeight: 500,
      atOnce: database.writesAtOnce,
      backlog,
      gatherMs: own.gatherMs,
      maxWaiting: { weight: 100_000, error: () => new Error('too many attempts wait to be recorded') },
    })
  }

  /**
   * Calls `done` for each job separately, so that a silent receiver holds up only its own callbacks. Rejects
   * when a job fails unexpectedly, without a `done` for that job.
   */
  async deliver(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const callbacks = await this.#callbacksOf(jobs)
    const parents = await this.#parts.tracing?.parentsOf([...callbacks.values()].map(({ ticket }) => ticket))
    const erased: Job[] = []
    const under: Promise<void>[] = []
    for (const job of jobs) {
      const callback = callbacks.get(job.id)
      if (!callback) erased.push(job)
      else under.push(this.#deliverOne(job, callback, parents?.get(callback.ticket)).then(() => done(job)))
    }
    if (erased.length > 0) under.push(this.#end(erased, done))
    await all(under)
  }

  async #callbacksOf(jobs: readonly Job[]): Promise<Map<string, DueCallback>> {
    const { loaded } = this.#own
    const here = new Map<string, DueCallback>()
    for (const { id } of jobs) {
      const callback = loaded.get(id)
      if (callback) here.set(id, callback)
      loaded.delete(id)
    }
    const others = jobs.flatMap(({ id }) => (here.has(id) ? [] : [id]))
    const read = others.length > 0 ? await this.#parts.database.read((tx) => dueCallbacks(tx, others)) : []
    return new Map([...here, ...read])
  }

  /** Ends the jobs of callbacks that were erased. */
  async #end(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    await this.#parts.database.write((tx) => removeHeld(tx, jobs), { patient: true })
    for (const job of jobs) done(job)
  }

  async #deliverOne(job: Job, callback: DueCallback, parent: string | undefined): Promise<void> {
    const { clock, tracing } = this.#parts
    const { random, onAttempt, onRecorded } = this.#own
    const startedAt = clock.now()
    const span = parent === undefined ? undefined : tracing?.start('callback', 'client', { parent })
    const result = await this.#post(callback, span?.traceparent)
    span?.end(aboutAttempt(job, callback, result))
    const restMs = this.#gone.pauseMs(receiverOf(callback))
    const next = afterAttempt(result, job.attempts + 1, { now: this.#realNow(), random, restMs })
    onAttempt({ callback, result, next })
    await this.#record.add({ job, startedAt, result, next })
    onRecorded(callback, next)
  }

  async #post(callback: DueCallback, traceparent: string | undefined): Promise<PostResult> {
    const { outbound, keysOf, timeoutMs, share } = this.#own
    const { id, url, accountId } = callback
    const receiver = receiverOf(callback)
    if (!this.#gone.mayPost(receiver)) return NOT_POSTED
    let result: PostResult | undefined
    try {
      const payload = callbackPayload(callback)
      result = await outbound({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Wigwag-Callback/1',
          ...signatureHeaders(await keysOf(accountId), { id, payload, now: this.#realNow() }),
          ...(traceparent !== undefined && { traceparent }),
        },
        body: payload,
        timeoutMs,
        maxReplyBytes: MOST_REPLY_BYTES,
      })
      share.answered(accountId, result.kind === 'reply' || result.failure !== 'timeout')
      return result
    } finally {
      this.#gone.answered(receiver, result?.kind === 'reply' && result.status === 410)
    }
  }

  #realNow(): EpochMs {
    return this.#own.realNow?.() ?? this.#parts.clock.now()
  }

  /** Stores the results of attempts, and what follows each of them. */
  async #store(attempts: readonly Attempt[]): Promise<void> {
    const { database, clock } = this.#parts
    await database.write((tx) => storeAttempts(tx, attempts, clock), { patient: true })
  }
}

type PosterParts = Pick<Parts, 'database' | 'clock'> &
  Partial<Pick<Parts, 'tracing'>> & {
    backlog?: Pick<Backlog, 'add'> | undefined
  }

/** The way out to receivers, and the calls that tell of each attempt. */
interface Own {
  outbound: Outbound
  random(): number
  /** The time that receivers compare with their own clocks, which a sandbox's may be ahead of; else the clock's. */
  realNow?: (() => EpochMs) | undefined
  /** The keys that sign an account's callbacks: one, or two during a rotation. */
  keysOf(accountId: string): Promise<KeyObject[]>
  timeoutMs: number
  /** Callbacks that need not be read, by id. They are taken out. */
  loaded: Map<string, DueCallback>
  /** How long to gather attempts for one commit. */
  gatherMs: number
  /** Is told which receivers answered in time. */
  share: Pick<ReceiverShare, 'answered'>
  /** Called once per attempt, for the log and the metrics. */
  onAttempt(attempt: { callback: DueCallback; result: PostResult; next: AfterAttempt }): void
  /** Called after an attempt was committed. */
  onRecorded(callback: DueCallback, next: AfterAttempt): void
}

async function storeAttempts(tx: Tx, attempts: readonly Attempt[], clock: Pick<Clock, 'now'>): Promise<void> {
  const there = await lockCallbacks(
    tx,
    attempts.map(({ job }) => job.id),
  )
  await insertAttempts(tx, attempts.filter(({ job }) => there.has(job.id)).map(attemptRow))
  // If a replay or another process has taken over the job since, that one decides what comes next.
  const ended = attempts.filter(({ job, next }) => next.kind !== 'again' || !there.has(job.id))
  const held = await removeHeld(
    tx,
    ended.map(({ job }) => job),
  )
  for (const state of ['delivered', 'dead'] as const) {
    const reached = ended.filter(({ job, next }) => next.kind === state && held.has(job.id))
    await setCallbackState(
      tx,
      state,
      reached.map(({ job }) => job.id),
    )
  }
  await reschedule(
    tx,
    attempts.flatMap((attempt) => again(attempt, clock.now())),
  )
}

/** Attributes for the span of an attempt. Without the URL, in which clients put secrets. */
function aboutAttempt(job: Job, { id, ticket }: DueCallback, result: PostResult) {
  const status = result.kind === 'reply' ? result.status : undefined
  const attributes = {
    'http.request.method': 'POST',
    'http.response.status_code': status,
    'error.type': result.kind === 'failure' ? result.failure : undefined,
    'wigwag.ticket': ticket,
    'wigwag.callback': id,
    'wigwag.attempt': job.attempts + 1,
  }
  return { attributes, failed: status === undefined || status < 200 || status >= 300 }
}

const NOT_POSTED: PostResult = {
  kind: 'failure',
  stage: 'before',
  failure: 'receiver_gone',
  latencyMs: 0,
  detail: 'not posted: this host answered 410 Gone several times, and is left alone for a while',
}

function receiverOf({ accountId, url }: DueCallback): string {
  return `${accountId} ${hostOf(url)}`
}

function again({ job, next }: Attempt, now: EpochMs) {
  if (next.kind !== 'again') return []
  const { id, owner, epoch } = job
  const runAt = epochMs(now + next.delayMs)
  return [{ ...LANE, id, epoch, owner, runAt, attempts: job.attempts + 1, lapsed: false }]
}

function attemptRow({ job, startedAt, result }: Attempt) {
  const common = { callbackId: job.id, startedAt, latencyMs: Math.round(result.latencyMs) }
  if (result.kind === 'failure')
    return { ...common, httpStatus: null, errorClass: result.failure, reply: storable(result.detail) }
  const ok = result.status >= 200 && result.status < 300
  return {
    ...common,
    httpStatus: result.status,
    errorClass: ok ? null : 'http_status',
    reply: beginning(result.body),
  }
}

/** The first bytes of a reply as text. */
function beginning(body: Uint8Array): string {
  return storable(new TextDecoder().decode(body.subarray(0, KEPT_REPLY_BYTES)))
}

/** PostgreSQL stores no zero character. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
