import { hostname } from 'node:os'
import type { DepartCallbacks } from '../callbacks/index.ts'
import type { Lane, Worker } from '../flow/jobs/worker.ts'
import type { Parts } from '../flow/parts.ts'
import type { Ticket } from '../kernel/ids.ts'
import { FINAL_STATUSES } from '../kernel/message.ts'
import type { Retention } from '../kernel/time/spans.ts'
import type { Depart, Ending, EndMessages, NewMessage } from '../messages/index.ts'
import type { Carrier, CarrierVerdict } from './carrier.ts'
import type { CarrierSettings } from './carriers/settings.ts'
import { endMessages } from './finish/end-messages.ts'
import { Finish, type Finished } from './finish/finish.ts'
import { DeliveryTally } from './finish/tally.ts'
import { Fleet } from './fleet.ts'
import { openCarrier, type Surroundings, tracedCarrier } from './open-carrier.ts'
import { watchCarriers } from './operate/carrier-metrics.ts'
import { Control } from './operate/control.ts'
import { agreeOn, readRequests } from './operate/switches.ts'
import { type CarrierPlan, routingOf } from './plan/index.ts'
import { awaitReceipts } from './submit/await-receipts.ts'
import { Decisions } from './submit/decisions.ts'
import { depart, releaseScheduled, route } from './submit/routing.ts'

const LEASE_MS = 30_000
const ASK_AGAIN_MS = 30_000
const BATCH = 512

export type Delivery = Awaited<ReturnType<typeof openDelivery>>

/** Wires up the carriers, their receipts and the jobs of messages that wait for either. */
export async function openDelivery(
  parts: Parts &
    Omit<Surroundings, 'submitOnly'> & {
      worker: Worker
      /** Reads which carriers there are and what they carry. Throws `PlanError` when that is not valid. */
      readPlan(): CarrierPlan
      /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
      submitRetryMs: readonly number[]
      validityMs: number
      pollMs: number
      /** How long jobs are left alone that wait for a carrier which no longer exists; 30 s when left out. */
      strandedMs?: number | undefined
      /** Of the program. */
      version: string
      /** The number of the newest step of the schema that the program knows. */
      schema: number
      /** Names the secrets of the gateway. */
      secrets: readonly string[]
      retain: Retention
      /** Names of threads that ended by themselves within the hour. */
      endedThreads(): readonly string[]
      gatherMs: number
      departCallbacks: DepartCallbacks
      /** Put between the gateway and each carrier, such as the faults of a sandbox. */
      aroundCarrier?(carrier: Carrier): Carrier
    },
) {
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
  const tally = new DeliveryTally(parts, fault('deliveries'))
  const ends = {
    database,
    clock,
    newId: parts.newId,
    finish: new Finish(database, parts.departCallbacks),
    onFinal(
      endings: readonly Ending[],
      { walletIds, ended: messages }: Pick<Finished, 'walletIds' | 'ended'>,
    ) {
      for (const id of walletIds) changes.note(id)
      tally.count(messages)
      for (const { status, ticket } of endings) {
        ended.inc({ status })
        log.debug({ ticket, status }, 'a message is final')
        tracing?.record({
          ticket,
          name: 'final',
          kind: 'internal',
          startedAt: tracing.now(),
          attributes: { 'wigwag.ticket': ticket, 'wigwag.status': status },
          failed: status !== 'success',
        })
      }
    },
  }
  const end: EndMessages = (endings, wait) => endMessages(ends, endings, wait)
  const lane = { batch: BATCH, underWay: 2 * BATCH, leaseMs: LEASE_MS, gatherMs }
  const common = {
    ...parts,
    endMessages: end,
    retryPlanMs: parts.submitRetryMs,
    askAgainMs: ASK_AGAIN_MS,
    lane: { ...lane, underWay: 4 * BATCH },
  }
  function carrierOf(settings: CarrierSettings): Carrier {
    const carrier = aroundCarrier(openCarrier(settings, parts))
    return tracing ? tracedCarrier(carrier, tracing) : carrier
  }
  const fleet = new Fleet({ ...common, create: carrierOf }, plan)
  // Before the carriers open: a new process must not submit to a paused one before its first look.
  fleet.pause(new Set(paused.keys()))
  await fleet.apply(plan)
  watchCarriers(parts, fleet)
  const control = new Control({
    ...parts,
    fleet,
    reloads,
    process: {
      id: parts.newId(clock.now()),
      name: `${hostname()}:${process.pid}`,
      version: parts.version,
      schema: parts.schema,
      secrets: parts.secrets,
      startedAt: clock.now(),
    },
    onStranded: (kind) => worker.notify({ kind, lane: '' }),
    onFault: fault('carriers'),
  })

  /** For messages without a carrier, which have no references and get no verdicts. */
  const nothing = { takeReceipts: async () => {}, takeVerdicts: async () => {}, onFault: fault('delivery') }
  const decisions = new Decisions({
    ...common,
    ...nothing,
    notify: (lane, jobs) => worker.notify(lane, jobs),
  })
  const routing = {
    database,
    clock,
    decisions,
    choice: fleet,
    agree: () => database.read((tx) => agreeOn(tx, routingOf(fleet.plan), clock.now())),
  }
  const inquiry = { ...nothing, database, clock, decisions, carrier: undefined, askAgainMs: ASK_AGAIN_MS }
  const departing = {
    worker,
    laneOf: (message: NewMessage) => fleet.laneOf(message),
    validityMs: parts.validityMs,
  }
  function onReleased(walletIds: ReadonlySet<string>): void {
    const runAt = clock.now()
    worker.notify(
      { kind: 'dispatch', lane: '' },
      [...walletIds].map((owner) => ({ owner, runAt })),
    )
    for (const id of walletIds) changes.note(id)
  }
  /** The lanes of messages that have no carrier yet, or whose carrier was removed. Carriers have their own lanes. */
  const lanes: readonly Lane[] = [
    {
      ...lane,
      kind: 'scheduled',
      lane: '',
      handle: async (jobs) => onReleased(await releaseScheduled({ database, clock }, jobs)),
    },
    {
      ...lane,
      kind: 'dispatch',
      lane: '',
      handle: (jobs, done) => route(routing, jobs, done),
    },
    {
      ...lane,
      kind: 'await',
      lane: '',
      handle: (jobs, done) => awaitReceipts(inquiry, jobs, done),
    },
  ]
  return {
    /** Chooses which new messages are submitted from here at once. */
    depart: ((messages) => depart(departing, messages)) satisfies Depart,
    endMessages: end,
    fleet,
    control,
    tally,
    /** Ends a message as if its carrier had sent a receipt. */
    async tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void> {
      const carrierRef = `sim-told-${verdict}`
      await end([{ ticket, status: verdict, carrierRef, submittedAt: clock.now() }])
    },
    lanes,
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
