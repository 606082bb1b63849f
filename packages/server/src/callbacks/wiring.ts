import type { KeyUses } from '../accounts/index.ts'
import type { Lane, Worker } from '../flow/jobs/worker.ts'
import { watchCount } from '../flow/observe/watch-count.ts'
import type { Parts } from '../flow/parts.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Logger } from '../kernel/process/log.ts'
import { type Metrics, MOST_COUNTED, type Watched } from '../kernel/process/metrics.ts'
import type { Outbound } from '../net/outbound/port.ts'
import type { Handlers } from '../net/server/handler.ts'
import type { Sealer } from '../store/secrets/sealing.ts'
import { type AfterAttempt, LEASE_BEYOND_MS, type PostResult } from './after-attempt.ts'
import { CallbackPoster } from './deliver.ts'
import { type DepartCallbacks, departCallbacks } from './departures.ts'
import { CallbackLog } from './log.ts'
import { PLACES, ReceiverShare } from './receivers.ts'
import { listCallbacks, replayCallback, replayFailedCallbacks } from './routes.ts'
import { type DueCallback, LANE } from './rows.ts'
import { SigningKeys } from './signing.ts'

export type Callbacks = ReturnType<typeof openCallbacks>

/** Opens the callbacks: their lane, their places, their log and its handlers. */
export function openCallbacks(
  parts: Parts,
  own: {
    worker: Pick<Worker, 'reserve' | 'notify'>
    sealer: Sealer
    uses: Pick<KeyUses, 'note'>
    outbound: Outbound
    /** The time that receivers compare with their own clocks; the clock's when left out. */
    realNow?: (() => EpochMs) | undefined
    /** How long a receiver may take to answer. */
    timeoutMs: number
    gatherMs: number
  },
) {
  const { clock, changes, metrics, log } = parts
  const { worker, timeoutMs, gatherMs } = own
  watchCount(parts, DEAD, COUNT_DEAD)
  const countAttempt = countAttempts(metrics)
  const share = new ReceiverShare()
  const keys = new SigningKeys(parts, own)
  /** Callbacks that this process posts at once, and need not read. */
  const loaded = new Map<string, DueCallback>()
  const poster = new CallbackPoster(parts, {
    ...own,
    share,
    loaded,
    random: Math.random,
    keysOf: (accountId) => keys.of(accountId),
    onAttempt({ callback, result, next }) {
      countAttempt(next.kind, result.latencyMs)
      logAttempt(log, callback, result, next)
    },
    onRecorded(callback, { kind }) {
      changes.note(callback.walletId)
      if (kind === 'again') worker.notify(LANE, [{ owner: callback.accountId, runAt: clock.now() }])
    },
  })
  const callbackLog = new CallbackLog(parts, (walletId) => {
    worker.notify(LANE)
    changes.note(walletId)
  })
  /** Posts callbacks that are due. */
  const lane: Lane = {
    ...LANE,
    handle: (jobs, done) => poster.deliver(jobs, done),
    batch: 128,
    underWay: PLACES,
    share: (accountId, underWay) => share.of(accountId, underWay),
    leaseMs: timeoutMs + LEASE_BEYOND_MS,
    gatherMs,
  }
  const depart: DepartCallbacks = (callbacks) => departCallbacks(worker, loaded, callbacks)
  return {
    lane,
    depart,
    log: callbackLog,
    handlers: {
      listCallbacks: listCallbacks(callbackLog),
      replayCallback: replayCallback(callbackLog),
      replayFailedCallbacks: replayFailedCallbacks(callbackLog),
    } satisfies Partial<Handlers>,
  }
}

function logAttempt(log: Logger, callback: DueCallback, result: PostResult, next: AfterAttempt): void {
  const answer =
    result.kind === 'reply' ? { status: result.status } : { failure: result.failure, detail: result.detail }
  const line = {
    callback: callback.id,
    ticket: callback.ticket,
    ...answer,
    latencyMs: Math.round(result.latencyMs),
    next: next.kind,
  }
  log[next.kind === 'delivered' ? 'debug' : 'info'](line, 'an attempt to post a callback ended')
}

const DEAD: Omit<Watched, 'labels'> = {
  name: 'wigwag_callbacks_dead',
  help: `The database: callbacks that were given up and not replayed since. Counted up to ${MOST_COUNTED}.`,
  aggregator: 'max',
}
const COUNT_DEAD = `SELECT count(*) AS count FROM (SELECT 1 FROM callbacks WHERE state = 'dead' LIMIT ${MOST_COUNTED}) AS found`

/** Counts attempts to post, and how long each took. */
function countAttempts(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const attempts = metrics.counter(
    'wigwag_callback_attempts_total',
    'This process: attempts to post a callback, by outcome.',
    ['outcome'],
  )
  const seconds = metrics.histogram({
    name: 'wigwag_callback_seconds',
    help: 'This process: how long attempts to post a callback take; 0 for one that is not posted.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
  })
  return function countAttempt(outcome: string, latencyMs: number): void {
    attempts.inc({ outcome })
    seconds.observe(latencyMs / 1_000)
  }
}
