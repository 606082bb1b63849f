import type { KeyUses } from '../accounts/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { Lane, Worker } from '../platform/jobs/worker.ts'
import type { Outbound } from '../platform/outbound/port.ts'
import type { Parts } from '../platform/parts.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { countAttempts, watchCallbacks } from './callback-metrics.ts'
import { createDeliverCallbacks } from './deliver.ts'
import { createDepartCallbacks, type DepartCallbacks } from './departures.ts'
import { type CallbackLog, createCallbackLog } from './log.ts'
import { createReceiverShare, PLACES } from './receiver-share.ts'
import { listCallbacks, replayCallback, replayFailedCallbacks } from './routes.ts'
import { type DueCallback, LANE } from './rows.ts'
import { createSigningKeys } from './signing-keys.ts'

export interface CallbacksParts extends Parts {
  worker: Pick<Worker, 'reserve' | 'notify'>
  sealer: Sealer
  uses: Pick<KeyUses, 'note'>
  outbound: Outbound
  /** The time that receivers compare with their own clocks; the clock's when left out. */
  realNow?: (() => EpochMs) | undefined
  /** How long a receiver may take to answer. */
  timeoutMs: number
  gatherMs: number
}

export interface Callbacks {
  /** Posts callbacks that are due. */
  lane: Lane
  /** Reserves places for callbacks that are about to be stored. */
  depart: DepartCallbacks
  log: CallbackLog
  handlers: Pick<Handlers, 'listCallbacks' | 'replayCallback' | 'replayFailedCallbacks'>
}

/** Added to the receiver's time, for the database work before and after a post. */
const LEASE_BEYOND_MS = 45_000

export function createCallbacks(parts: CallbacksParts): Callbacks {
  const { worker, clock, changes, metrics, log, timeoutMs, gatherMs } = parts
  watchCallbacks(parts)
  const countAttempt = countAttempts(metrics)
  const share = createReceiverShare()
  /** Callbacks that this process posts at once, and need not read. */
  const loaded = new Map<string, DueCallback>()
  const deliver = createDeliverCallbacks({
    ...parts,
    share,
    loaded,
    random: Math.random,
    keysOf: createSigningKeys(parts),
    onAttempt({ callback, result, next }) {
      countAttempt(next.kind, result.latencyMs)
      const answer =
        result.kind === 'reply'
          ? { status: result.status }
          : { failure: result.failure, detail: result.detail }
      const line = {
        callback: callback.id,
        ticket: callback.ticket,
        ...answer,
        latencyMs: Math.round(result.latencyMs),
        next: next.kind,
      }
      log[next.kind === 'delivered' ? 'debug' : 'info'](line, 'a callback was posted')
    },
    onRecorded(callback, { kind }) {
      changes.note(callback.walletId)
      if (kind === 'again') worker.notify(LANE, [{ owner: callback.accountId, runAt: clock.now() }])
    },
  })
  const callbackLog = createCallbackLog({
    ...parts,
    onCallbacks(walletId) {
      worker.notify(LANE)
      changes.note(walletId)
    },
  })
  return {
    lane: {
      ...LANE,
      handle: deliver,
      batch: 128,
      underWay: PLACES,
      share: share.of,
      leaseMs: timeoutMs + LEASE_BEYOND_MS,
      gatherMs,
    },
    depart: createDepartCallbacks({ worker, loaded }),
    log: callbackLog,
    handlers: {
      listCallbacks: listCallbacks(callbackLog),
      replayCallback: replayCallback(callbackLog),
      replayFailedCallbacks: replayFailedCallbacks(callbackLog),
    },
  }
}
