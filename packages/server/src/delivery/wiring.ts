import { hostname } from 'node:os'
import type { Hono } from 'hono'
import type { DepartCallbacks } from '../callbacks/index.ts'
import type { Ticket } from '../domain/ids.ts'
import { FINAL_STATUSES } from '../domain/message.ts'
import type { Retention } from '../domain/retention.ts'
import type { Behind, Lane, Worker } from '../platform/jobs/worker.ts'
import type { Parts } from '../platform/parts.ts'
import type { Carrier, CarrierVerdict } from './carrier.ts'
import { type CarrierParts, createCarrier } from './create-carrier.ts'
import { createEndMessages, type EndMessages } from './finish/end-messages.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { watchCarriers } from './operate/carrier-metrics.ts'
import { type Control, createControl } from './operate/control.ts'
import { agreeOn, readRequests } from './operate/switches.ts'
import { type CarrierPlan, type CarrierSettings, routingOf, simulatedAmong } from './plan/index.ts'
import { mountReceiptDoor } from './receipt-door.ts'
import { createAwaitReceipts } from './submit/await-receipts.ts'
import { createDepart, type Depart } from './submit/departures.ts'
import { createReleaseScheduled } from './submit/release-scheduled.ts'
import { createRoute } from './submit/route.ts'
import { createStoreDecisions } from './submit/store-decisions.ts'
import { tracedCarrier } from './submit/traced-carrier.ts'

export interface DeliveryParts extends Parts, Omit<CarrierParts, 'submitOnly'> {
  worker: Worker
  /** Reads which carriers there are and what they carry. Throws `PlanError` when that is not valid. */
  readPlan(): CarrierPlan
  /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
  submitRetryMs: readonly number[]
  validityMs: number
  pollMs: number
  /** Of the program. */
  version: string
  /** The number of the newest step of the schema that the program knows. */
  schema: number
  /** Names the secrets of the gateway. */
  secrets: readonly string[]
  retain: Retention
  gatherMs: number
  departCallbacks: DepartCallbacks
  /** Put between the gateway and each carrier, such as the faults of a sandbox. */
  aroundCarrier?(carrier: Carrier): Carrier
}

export interface Delivery {
  depart: Depart
  endMessages: EndMessages
  fleet: Fleet
  control: Control
  /** Ends a message as if its carrier had sent a receipt. */
  tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
  /** The lanes of messages that have no carrier yet, or whose carrier was removed. Carriers have their own lanes. */
  lanes: readonly Lane[]
  /** The names of the carriers that reach no phone. */
  simulated(): string[]
  /** Adds the routes to which carriers post receipts. */
  mountReceipts(app: Hono): void
  /** What the worker closes and stores when it stops. Stop `control` before: it opens carriers. */
  behind: Behind
}

const LEASE_MS = 30_000
const ASK_AGAIN_MS = 30_000
const BATCH = 512

/** Wires up the carriers, their receipts and the jobs of messages that wait for either. */
export async function createDelivery(parts: DeliveryParts): Promise<Delivery> {
  const {
    database,
    clock,
    changes,
    metrics,
    log,
    worker,
    gatherMs,
    fault,
    tracing,
    aroundCarrier = (carrier) => carrier,
  } = parts
  // Before the plan is read, so that it is read again if it was changed in between.
  const { paused, reloads } = await database.read(readRequests)
  const plan = parts.readPlan()
  const ended = countEnded(metrics)
  const endMessages = createEndMessages({
    ...parts,
    onFinal: (endings, walletIds) => {
      for (const id of walletIds) changes.note(id)
      for (const { status, ticket } of endings) {
        ended.inc({ status })
        log.debug({ ticket, status }, 'a message is final')
        tracing?.record({
          ...{ ticket, name: 'final', kind: 'internal', startedAt: tracing.now() },
          attributes: { 'wigwag.ticket': ticket, 'wigwag.status': status },
          failed: status !== 'success',
        })
      }
    },
  })
  const lane = { batch: BATCH, underWay: 2 * BATCH, leaseMs: LEASE_MS, gatherMs }
  const common = {
    ...parts,
    endMessages,
    retryPlanMs: parts.submitRetryMs,
    askAgainMs: ASK_AGAIN_MS,
    lane: { ...lane, underWay: 4 * BATCH },
  }
  function carrierOf(settings: CarrierSettings): Carrier {
    const carrier = aroundCarrier(createCarrier(settings, parts))
    return tracing ? tracedCarrier(carrier, tracing) : carrier
  }
  const fleet = createFleet({ ...common, create: carrierOf }, plan)
  // Before the carriers open: a new process must not submit to a paused one before its first look.
  fleet.pause(new Set(paused.keys()))
  await fleet.apply(plan)
  watchCarriers({ ...parts, fleet })
  const control = createControl({
    ...parts,
    fleet,
    reloads,
    process: {
      ...{ id: parts.newId(clock.now()), name: `${hostname()}:${process.pid}` },
      ...{ version: parts.version, schema: parts.schema, secrets: parts.secrets, startedAt: clock.now() },
    },
    onStranded: (kind) => worker.notify({ kind, lane: '' }),
    onFault: fault('carriers'),
  })

  /** For messages without a carrier, which have no references and get no verdicts. */
  const nothing = { takeReceipts: async () => {}, takeVerdicts: async () => {}, onFault: fault('delivery') }
  const { store } = createStoreDecisions({ ...common, ...nothing, notify: worker.notify })
  function onReleased(walletIds: ReadonlySet<string>): void {
    const runAt = clock.now()
    worker.notify(
      { kind: 'dispatch', lane: '' },
      [...walletIds].map((owner) => ({ owner, runAt })),
    )
    for (const id of walletIds) changes.note(id)
  }
  return {
    depart: createDepart({ ...parts, laneOf: fleet.laneOf }),
    endMessages,
    fleet,
    control,
    async tell(ticket, verdict) {
      const carrierRef = `sim-told-${verdict}`
      await endMessages([{ ticket, status: verdict, carrierRef, submittedAt: clock.now() }])
    },
    lanes: [
      {
        ...lane,
        kind: 'scheduled',
        lane: '',
        handle: createReleaseScheduled({ database, clock, onReleased }),
      },
      {
        ...lane,
        kind: 'dispatch',
        lane: '',
        handle: createRoute({
          ...{ database, clock, store },
          choice: fleet,
          agree: () => database.read((tx) => agreeOn(tx, routingOf(fleet.plan()), clock.now())),
        }),
      },
      {
        ...lane,
        kind: 'await',
        lane: '',
        handle: createAwaitReceipts({ ...common, ...nothing, carrier: undefined, store }),
      },
    ],
    simulated: () => simulatedAmong([...fleet.all()].map(({ settings }) => settings)),
    mountReceipts: (app) => mountReceiptDoor(app, fleet),
    behind: fleet.behind,
  }
}

/** Each status begins at 0: the first message of a status would otherwise be an increase that Prometheus can't see. */
function countEnded(metrics: Parts['metrics']) {
  const counter = metrics.counter(
    'wigwag_messages_final_total',
    'This process: messages that became final, by status.',
    ['status'],
  )
  for (const status of FINAL_STATUSES) counter.inc({ status }, 0)
  return counter
}
