import type { Logger } from 'pino'
import { createSimulator, type Simulator } from '../carriers/simulator.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { EpochMs } from '../domain/ids.ts'
import { createCallbackSecrets } from '../gateway/callback-secrets.ts'
import { createDeliverCallbacks } from '../gateway/deliver-callbacks.ts'
import { createAwaitReceipts, createDispatch } from '../gateway/dispatch.ts'
import { createFinalize, type Finalize } from '../gateway/finalize.ts'
import { createLateSteps } from '../gateway/late-steps.ts'
import type { Outbound, Receipt } from '../gateway/ports.ts'
import { createTakeReceipts } from '../gateway/receipts.ts'
import { createReleaseScheduled } from '../gateway/release-scheduled.ts'
import type { Metrics } from '../metrics.ts'
import type { Database } from '../store/database.ts'
import { createJobQueue, type JobKind } from '../store/job-queue.ts'
import type { Sealer } from '../store/sealing.ts'
import { createWorker, type Worker } from '../worker/worker.ts'

export interface SendingOptions {
  config: Config
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  sealer: Sealer
  outbound: Outbound
  metrics: Metrics
  log: Logger
  fault(room: string): (error: unknown) => void
}

export interface Sending {
  simulator: Simulator
  finalize: Finalize
  worker: Worker
  /** Finishes or gives back what is under way. */
  stopSending(): Promise<void>
}

/** So many of the jobs that a fault concerns are named in the log. */
const LOGGED_JOBS = 5
const STOP_MS = 5_000
/** Some 2,000 messages a second: a bulk of 10,000 goes out within 5 s, and hardly anybody else notices. */
const BACKLOG_PACE_MS = 250

/** From an accepted message to its end and its callback: the carrier, the worker, and what it does. */
export function composeSending(options: SendingOptions): Sending {
  const { config, database, clock, newId, sealer, outbound, metrics, log, fault } = options
  const books = { database, clock, newId }
  const simulator = createSimulator({ ...config.simulator, clock, onFault: fault('carriers') })
  const finalize = createFinalize({
    ...books,
    onCallbacks: () => worker.wake('callback'),
    onFinal: (endings) => {
      lateSteps.forget(endings.map(({ ticket }) => ticket))
      for (const { status } of endings) metrics.messagesFinal.inc({ status })
    },
  })
  const lateSteps = createLateSteps({
    database,
    clock,
    wake: () => worker.wake('await'),
    onFault: fault('gateway'),
  })
  const submittedAt = ({ ticket }: Receipt) => lateSteps.submittedAt(ticket) ?? clock.now()
  simulator.onReceipts(createTakeReceipts({ finalize, submittedAt, gatherMs: config.gatherMs }))
  const dispatching = {
    ...books,
    carrier: simulator,
    finalize,
    lateSteps,
    retryPlanMs: config.submitRetryMs,
    askAgainMs: 30_000,
    wake: (kind: JobKind) => worker.wake(kind),
    onFault: fault('carriers'),
  }
  const deliverCallbacks = createDeliverCallbacks({
    ...books,
    outbound,
    random: Math.random,
    secretsOf: createCallbackSecrets(database, clock, sealer),
    timeoutMs: config.callbackTimeoutMs,
    onAttempt({ callback, result, next }) {
      metrics.callbackAttempts.inc({ outcome: next.kind })
      metrics.callbackSeconds.observe(result.latencyMs / 1_000)
      const answer =
        result.kind === 'reply'
          ? { status: result.status }
          : { failure: result.failure, detail: result.detail }
      const line = {
        callback: callback.id,
        ...answer,
        latencyMs: Math.round(result.latencyMs),
        next: next.kind,
      }
      log[next.kind === 'delivered' ? 'debug' : 'info'](line, 'a callback was posted')
    },
  })
  const releaseScheduled = createReleaseScheduled({
    database,
    clock,
    onReleased: () => worker.wake('dispatch'),
  })
  const lane = { leaseMs: 30_000, gatherMs: config.gatherMs, paceMs: 0 }
  const callbackLeaseMs = config.callbackTimeoutMs + 45_000
  const worker = createWorker({
    queue: createJobQueue(database),
    clock,
    pollMs: config.pollMs,
    onFault(error, kind, jobs) {
      const room = `worker/${kind}`
      metrics.faults.inc({ room })
      log.error({ room, jobs: jobs.slice(0, LOGGED_JOBS).map(({ id }) => id), err: error }, 'a fault')
    },
    lanes: [
      { kind: 'scheduled', handle: releaseScheduled, batch: 512, underWay: 1_024, ...lane },
      {
        kind: 'dispatch',
        handle: createDispatch(dispatching),
        batch: 512,
        underWay: 2_048,
        ...lane,
        paceMs: BACKLOG_PACE_MS,
      },
      { kind: 'await', handle: createAwaitReceipts(dispatching), batch: 512, underWay: 1_024, ...lane },
      {
        kind: 'callback',
        handle: deliverCallbacks,
        batch: 128,
        underWay: 256,
        ...lane,
        leaseMs: callbackLeaseMs,
      },
    ],
  })

  return {
    simulator,
    finalize,
    worker,
    async stopSending() {
      await worker.stop(STOP_MS)
      await lateSteps.flush().catch(fault('gateway'))
      simulator.close()
    },
  }
}
