import type { KeyObject } from 'node:crypto'
import { attemptJob, type Posted } from '../../flow/jobs/attempt.ts'
import type { Job } from '../../flow/jobs/outbox.ts'
import { all } from '../../flow/jobs/queue.ts'
import type { Parts } from '../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { failedBefore, type Outbound, type OutboundResult } from '../../net/outbound/port.ts'
import { type AfterAttempt, afterAttempt, signatureHeaders, signingKey } from '../index.ts'
import { type DueEvent, deleteEvent, dueEvent, eventPayload, LANE } from './rows.ts'

const MOST_REPLY_BYTES = 1_024
/** Counts as an attempt that failed, because another gateway may have the setting already. */
const NO_WEBHOOK = { ...failedBefore('connect_failed', 'WIGWAG_OPERATOR_WEBHOOK is not set'), latencyMs: 0 }

/** Posts claimed events to the operator's webhook, by the plan of callbacks. An event goes when it was taken or given up. */
export class EventPoster {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #own: Own
  readonly #keys: readonly KeyObject[]

  constructor(parts: Pick<Parts, 'database' | 'clock'>, own: Own) {
    this.#parts = parts
    this.#own = own
    this.#keys = own.webhook?.secrets.map(signingKey) ?? []
  }

  async deliver(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const events: Posted<DueEvent> = {
      lane: LANE,
      find: dueEvent,
      remove: deleteEvent,
      attempt: (event, job) => this.#attempt(event, job),
      onAgain: this.#own.onAgain,
    }
    await all(jobs.map((job) => attemptJob(this.#parts.database, job, events).then(() => done(job))))
  }

  async #attempt(event: DueEvent, job: Job): Promise<EpochMs | undefined> {
    const result = await this.#post(event)
    const times = { now: this.#realNow(), random: this.#own.random }
    const next = afterAttempt(result, job.attempts + 1, times)
    this.#own.onAttempt({ event, result, next })
    return next.kind === 'again' ? epochMs(this.#parts.clock.now() + next.delayMs) : undefined
  }

  async #post(event: DueEvent): Promise<OutboundResult> {
    const { webhook, outbound, timeoutMs } = this.#own
    if (!webhook) return NO_WEBHOOK
    const payload = eventPayload(event)
    return outbound({
      method: 'POST',
      url: webhook.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Wigwag-Event/1',
        ...signatureHeaders(this.#keys, { id: event.id, payload, now: this.#realNow() }),
      },
      body: payload,
      timeoutMs,
      maxReplyBytes: MOST_REPLY_BYTES,
    })
  }

  #realNow(): EpochMs {
    return this.#own.realNow?.() ?? this.#parts.clock.now()
  }
}

/** The operator's webhook, and the calls that tell of each attempt. */
interface Own {
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
