import type { JobKind } from '../platform/jobs/outbox.ts'
import type { Lane, Worker } from '../platform/jobs/worker.ts'
import type { Parts } from '../platform/parts.ts'
import type { Receipt } from './carrier.ts'
import { createSimulator, type Simulator, type SimulatorOptions } from './carriers/simulator.ts'
import { createAwaitReceipts, createDispatch } from './dispatch.ts'
import { createFinalize, type Finalize } from './finalize.ts'
import { createLateSteps } from './late-steps.ts'
import { createTakeReceipts } from './receipts.ts'
import { createReleaseScheduled } from './release-scheduled.ts'

export interface DeliveryParts extends Parts {
  worker: Pick<Worker, 'wake'>
  simulator: Omit<SimulatorOptions, 'clock' | 'onFault'>
  /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
  submitRetryMs: readonly number[]
  gatherMs: number
  /** Called when callbacks wait to be posted. */
  onCallbacks(): void
}

export interface Delivery {
  simulator: Simulator
  finalize: Finalize
  /** The lanes that release scheduled messages, dispatch due ones and ask for overdue receipts. */
  lanes: readonly Lane[]
  /** Stores the next steps not stored yet, and stops the carrier. */
  stop(): Promise<void>
}

const LEASE_MS = 30_000
const ASK_AGAIN_MS = 30_000
const BATCH = 512
/** About 2,000 messages a second: a bulk of 10,000 goes out within 5 s and leaves room for other work. */
const BACKLOG_PACE_MS = 250

/** Wires up the carrier, its receipts and the jobs of messages that wait for either. */
export function createDelivery(parts: DeliveryParts): Delivery {
  const { database, clock, metrics, worker, gatherMs, fault } = parts
  const wake = (kind: JobKind) => worker.wake(kind)
  const simulator = createSimulator({ ...parts.simulator, clock, onFault: fault('carriers') })
  const lateSteps = createLateSteps({
    database,
    clock,
    wake: () => wake('await'),
    onFault: fault('delivery'),
  })
  const finalize = createFinalize({
    ...parts,
    onFinal: (endings) => {
      lateSteps.forget(endings.map(({ ticket }) => ticket))
      for (const { status } of endings) metrics.messagesFinal.inc({ status })
    },
  })
  const submittedAt = ({ ticket }: Receipt) => lateSteps.submittedAt(ticket) ?? clock.now()
  simulator.onReceipts(createTakeReceipts({ finalize, submittedAt, gatherMs }))

  const dispatching = {
    ...parts,
    carrier: simulator,
    finalize,
    lateSteps,
    retryPlanMs: parts.submitRetryMs,
    askAgainMs: ASK_AGAIN_MS,
    wake,
    onFault: fault('carriers'),
  }
  const release = createReleaseScheduled({ database, clock, onReleased: () => wake('dispatch') })
  const lane = { batch: BATCH, underWay: 2 * BATCH, leaseMs: LEASE_MS, gatherMs, paceMs: 0 }
  return {
    simulator,
    finalize,
    lanes: [
      { ...lane, kind: 'scheduled', handle: release },
      {
        ...lane,
        kind: 'dispatch',
        handle: createDispatch(dispatching),
        underWay: 4 * BATCH,
        paceMs: BACKLOG_PACE_MS,
      },
      { ...lane, kind: 'await', handle: createAwaitReceipts(dispatching) },
    ],
    async stop() {
      await lateSteps.flush().catch(fault('delivery'))
      simulator.close()
    },
  }
}
