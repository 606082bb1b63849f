import type { Micros } from '@wigwag/contract'
import type { Ticket } from '../domain/ids.ts'
import type { OutgoingMessage } from '../domain/message.ts'
import { networkOf } from '../domain/phone/networks.ts'
import { dialled } from '../domain/phone/phone.ts'
import { bringForward } from '../platform/jobs/lanes.ts'
import type { Behind, Lane, Worker } from '../platform/jobs/worker.ts'
import type { Parts } from '../platform/parts.ts'
import type { Carrier, CarrierState, SubmitOutcome } from './carrier.ts'
import { EarlyReceipts } from './finish/early-receipts.ts'
import type { EndMessages } from './finish/end-messages.ts'
import { createTakeReceipts } from './finish/receipts.ts'
import {
  type CarrierPlan,
  type CarrierSettings,
  choose,
  type Routed,
  sameSettings,
  wayOf,
} from './plan/index.ts'
import { createAwaitReceipts } from './submit/await-receipts.ts'
import type { Choice } from './submit/choice.ts'
import { createDispatch } from './submit/dispatch.ts'
import { createTakeLateAnswer } from './submit/late-answers.ts'
import { createNextReference } from './submit/long-references.ts'
import { createStoreDecisions } from './submit/store-decisions.ts'

export interface FleetOptions
  extends Pick<Parts, 'database' | 'clock' | 'log' | 'fault'>,
    Partial<Pick<Parts, 'backlog'>> {
  worker: Pick<Worker, 'open' | 'close' | 'notify' | 'wake'>
  create(settings: CarrierSettings): Carrier
  endMessages: EndMessages
  retryPlanMs: readonly number[]
  askAgainMs: number
  gatherMs: number
  /** What all lanes of messages have in common. */
  lane: Pick<Lane, 'batch' | 'underWay' | 'leaseMs' | 'gatherMs'>
}

/** The carriers that this process runs, each with separate lanes, so that none waits for another. */
export interface Fleet extends Choice {
  /** The plan by which it works. */
  plan(): CarrierPlan
  /** The carrier to which a message goes first; empty when none takes it. */
  laneOf(message: OutgoingMessage): string
  all(): Iterable<Running>
  /**
   * Closes carriers that are gone or changed, and opens new ones. The others carry on. Where it fails halfway, the plan is
   * in force all the same, and another call goes on.
   */
  apply(plan: CarrierPlan): Promise<void>
  /** Pauses exactly these carriers. */
  pause(names: ReadonlySet<string>): void
  /** Brings receipts without a message to theirs, of each carrier as many as are looked at together. */
  matchReceipts(): Promise<void>
  /** All carriers, for the worker that stops. */
  readonly behind: Behind
}

export interface Running {
  readonly carrier: Carrier
  readonly settings: CarrierSettings
  readonly paused: boolean
  /** Since when it is up, or is not. */
  readonly since: number
}

/** How long a carrier that is closed may take to answer what it was given. */
const CLOSE_MS = 5_000
/** So many inquiries are under way even at a carrier that is away, since messages expire by them. */
const FEW_QUERIES = 16

interface Member extends Running {
  paused: boolean
  since: number
  readonly early: EarlyReceipts
  readonly behind: Behind
}

export function createFleet(options: FleetOptions, first: CarrierPlan): Fleet {
  const { database, clock, log, worker, lane } = options
  const members = new Map<string, Member>()
  const nextReference = createNextReference()
  let plan = first
  let pausedNames: ReadonlySet<string> = new Set()

  const fleet: Fleet = {
    plan: () => plan,
    ways: (message) => choose(plan, routed(message), fleet.isUp).map(({ name }) => name),
    laneOf: (message) => fleet.ways(message)[0] ?? '',
    costOf: (message, name): Micros | undefined => wayOf(plan, routed(message), name)?.cost,
    isUp: (name) => stateOf(name) === 'up',
    isAway: (name) => stateOf(name) === 'away',
    all: () => members.values(),

    async apply(next) {
      plan = next
      const closing = [...members.values()].filter(
        ({ settings }) => !sameSettings(settings, plan.carriers.get(settings.name)),
      )
      const openMissing = () => {
        for (const settings of plan.carriers.values()) if (!members.has(settings.name)) open(settings)
      }
      openMissing()
      await Promise.all(closing.map((member) => shut(member).then(openMissing)))
    },

    pause(names) {
      pausedNames = names
      for (const member of members.values()) {
        const paused = names.has(member.carrier.name)
        if (paused === member.paused) continue
        member.paused = paused
        member.since = clock.now()
        log.warn({ carrier: member.carrier.name }, paused ? 'a carrier was paused' : 'a carrier was resumed')
        if (!paused) takeUp(member)
      }
    },

    async matchReceipts() {
      for (const { carrier, early } of members.values())
        await early.match().catch(options.fault(`carriers/${carrier.name}`))
    },

    behind: { close: () => ofAll('close'), flush: () => ofAll('flush') },
  }

  async function ofAll(what: keyof Behind): Promise<void> {
    await Promise.all([...members.values()].map(({ behind }) => behind[what]()))
  }

  function stateOf(name: string): CarrierState['kind'] {
    const member = members.get(name)
    return !member || member.paused ? 'away' : member.carrier.state().kind
  }

  function open(settings: CarrierSettings): void {
    const carrier = options.create(settings)
    const { name } = carrier
    const fault = options.fault(`carriers/${name}`)
    const { takeReceipts, takeVerdicts, end } = createTakeReceipts({
      ...options,
      carrier,
      onFault: fault,
    })
    const { store, finish } = createStoreDecisions({
      ...options,
      takeVerdicts,
      notify: worker.notify,
      onFault: fault,
    })
    const dispatchLane = { kind: 'dispatch', lane: name } as const
    const takeLateAnswer = createTakeLateAnswer({
      ...options,
      carrier,
      choice: fleet,
      takeVerdicts,
      notify: (kind) => worker.notify({ kind, lane: name }),
    })
    const handling = {
      ...options,
      carrier,
      choice: fleet,
      store,
      takeReceipts,
      takeVerdicts,
      nextReference,
      onFault: fault,
      onAnswer: (ticket: Ticket, outcome: SubmitOutcome) => logAnswer(log, name, { ticket, outcome }),
      onUncertain: (ticket: Ticket) =>
        log.warn({ carrier: name, ticket }, 'a carrier did not answer a submission'),
    }
    let closing = false
    const onMatch = (ticket: Ticket) =>
      log.info({ carrier: name, ticket }, 'a receipt ended an uncertain message to its number')
    const member: Member = {
      carrier,
      early: new EarlyReceipts({ database, clock, takeReceipts, onMatch }, carrier),
      settings,
      paused: pausedNames.has(name),
      since: clock.now(),
      behind: {
        async close() {
          // Set while shutting down, so the disconnect is not logged.
          closing = true
          await carrier.close(CLOSE_MS).catch(fault)
        },
        async flush() {
          await finish()
          await end().catch(fault)
        },
      },
    }
    members.set(name, member)
    let before: Pick<CarrierState, 'kind' | 'reason'> = carrier.state()
    carrier.start({
      onReceipts: takeReceipts,
      onLateAnswer(ticket, outcome) {
        logAnswer(log, name, { ticket, outcome, late: true })
        void takeLateAnswer(ticket, outcome).catch(fault)
      },
      onChange() {
        if (closing) return
        const { kind, reason } = carrier.state()
        const turned = (kind === 'up') !== (before.kind === 'up')
        if (turned || (reason !== before.reason && reason !== ''))
          log[kind === 'up' ? 'info' : 'warn'](
            { carrier: name, state: kind, reason },
            'a carrier has changed',
          )
        if (turned) member.since = clock.now()
        if (turned && kind === 'up') takeUp(member)
        before = { kind, reason: reason === '' ? before.reason : reason }
        worker.wake(dispatchLane)
      },
      onFault: fault,
    })
    worker.open({ ...lane, ...dispatchLane, ...createDispatch(handling) })
    const inquiries = { ...lane, kind: 'await' as const, lane: name }
    worker.open({ ...inquiries, handle: createAwaitReceipts(handling), ...capacityForQueries(carrier) })
  }

  /** Makes the messages due that wait for a carrier to be back. */
  function takeUp({ carrier: { name } }: Member): void {
    const lane = { kind: 'dispatch', lane: name } as const
    const work = async () => {
      for (let owner: string | undefined = ''; owner !== undefined && fleet.isUp(name); ) {
        const from: string = owner
        const { due, next } = await database.write(
          (tx) => bringForward(tx, lane, { from, now: clock.now() }),
          { patient: true },
        )
        worker.notify(lane, due)
        owner = next
      }
    }
    work().catch(options.fault(`carriers/${name}`))
  }

  async function shut({ carrier: { name }, behind }: Member): Promise<void> {
    const lanes = (['dispatch', 'await'] as const).map((kind) => ({ kind, lane: name }))
    await worker.close(lanes, CLOSE_MS, behind)
    members.delete(name)
  }

  return fleet
}

/**
 * What a carrier said, without its words: those can repeat what it was sent. That it said nothing is a warning
 * instead.
 */
function logAnswer(
  log: Parts['log'],
  carrier: string,
  { ticket, outcome, late }: { ticket: Ticket; outcome: SubmitOutcome; late?: true },
): void {
  if (outcome.kind === 'uncertain' || !log.isLevelEnabled('debug')) return
  const refs = 'refs' in outcome ? { refs: outcome.refs.map(({ ref }) => ref) } : {}
  log.debug({ carrier, ticket, outcome: outcome.kind, ...refs, late }, 'a message was submitted')
}

/** Queries take a carrier's capacity too, so they get only a part of it. */
function capacityForQueries({ query, capacity }: Carrier): Pick<Lane, 'capacity'> {
  return query ? { capacity: () => Math.max(FEW_QUERIES, Math.ceil(capacity() / 4)) } : {}
}

/** What the routes need to know of a message. */
export function routed(message: Pick<OutgoingMessage, 'id' | 'sender' | 'accountId' | 'recipient'>): Routed {
  const { id, sender, accountId } = message
  const recipient = dialled(message.recipient)
  const network = networkOf(recipient)
  return { ticket: id, sender, accountId, recipient, network: network ? network.mcc + network.mnc : null }
}
