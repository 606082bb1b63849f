import type { Micros } from '@wigwag/contract'
import { bringForward } from '../flow/jobs/lanes.ts'
import type { Behind, Lane, Worker } from '../flow/jobs/worker.ts'
import type { Parts } from '../flow/parts.ts'
import type { Ticket } from '../kernel/ids.ts'
import type { OutgoingMessage } from '../kernel/message.ts'
import type { EndMessages } from '../messages/index.ts'
import type { Carrier, CarrierState, Receipt } from './carrier.ts'
import type { CarrierSettings } from './carriers/settings.ts'
import { EarlyReceipts } from './finish/early-receipts.ts'
import { Receipts } from './finish/receipts.ts'
import type { PartVerdict } from './finish/refs.ts'
import {
  type CarrierPlan,
  type Choice,
  choose,
  routed,
  sameSettings,
  simulatedAmong,
  wayOf,
} from './plan/index.ts'
import { logAnswer, takeLateAnswer } from './submit/answers.ts'
import { awaitReceipts } from './submit/await-receipts.ts'
import { Decisions } from './submit/decisions.ts'
import { HandOver } from './submit/hand-over.ts'
import { LongReferences } from './submit/long-references.ts'

/** The shared parts, and what the wiring adds for carriers. */
type Fitted = Pick<Parts, 'database' | 'clock' | 'log' | 'fault'> & Partial<Pick<Parts, 'backlog'>> & Own

interface Own {
  worker: Pick<Worker, 'open' | 'close' | 'notify' | 'wake'>
  create(settings: CarrierSettings): Carrier
  endMessages: EndMessages
  retryPlanMs: readonly number[]
  askAgainMs: number
  gatherMs: number
  /** Settings that all lanes of messages share. */
  lane: Pick<Lane, 'batch' | 'underWay' | 'leaseMs' | 'gatherMs'>
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
  /** Connects the carrier. */
  begin(): void
}

/** The carriers that this process runs, each with separate lanes, so that none waits for another. */
export class Fleet implements Choice {
  readonly #parts: Fitted
  readonly #members = new Map<string, Member>()
  readonly #references = new LongReferences()
  #plan: CarrierPlan
  #pausedNames: ReadonlySet<string> = new Set()
  #isStarted = false
  /** All carriers, for the worker that stops. */
  readonly behind: Behind = { close: () => this.#ofAll('close'), flush: () => this.#ofAll('flush') }

  constructor(parts: Fitted, plan: CarrierPlan) {
    this.#parts = parts
    this.#plan = plan
  }

  /**
   * Connects the carriers, and from now on each new one at once. Called when the gateway has its ports: one that fails to
   * get them must not have taken a bind from the gateway that has them.
   */
  start(): void {
    this.#isStarted = true
    for (const member of this.#members.values()) member.begin()
  }

  /** The plan by which it works. */
  get plan(): CarrierPlan {
    return this.#plan
  }

  ways(message: OutgoingMessage): readonly string[] {
    return choose(this.#plan, routed(message), (name) => this.isUp(name)).map(({ name }) => name)
  }

  /** The carrier to which a message goes first; empty when none takes it. */
  laneOf(message: OutgoingMessage): string {
    return this.ways(message)[0] ?? ''
  }

  costOf(message: OutgoingMessage, name: string): Micros | undefined {
    return wayOf(this.#plan, routed(message), name)?.cost
  }

  isUp(name: string): boolean {
    return this.#stateOf(name) === 'up'
  }

  isAway(name: string): boolean {
    return this.#stateOf(name) === 'away'
  }

  all(): Iterable<Running> {
    return this.#members.values()
  }

  /** The names of the carriers that reach no phone. */
  simulated(): string[] {
    return simulatedAmong([...this.all()].map(({ settings }) => settings))
  }

  /**
   * Closes carriers that are gone or changed, and opens new ones. The others carry on. Where it fails halfway, the plan is
   * in force all the same, and another call goes on.
   */
  async apply(next: CarrierPlan): Promise<void> {
    this.#plan = next
    const closing = [...this.#members.values()].filter(
      ({ settings }) => !sameSettings(settings, next.carriers.get(settings.name)),
    )
    const openMissing = () => {
      for (const settings of this.#plan.carriers.values())
        if (!this.#members.has(settings.name)) this.#open(settings)
    }
    openMissing()
    await Promise.all(closing.map((member) => this.#shut(member).then(openMissing)))
  }

  /** Pauses exactly these carriers. */
  pause(names: ReadonlySet<string>): void {
    const { clock, log } = this.#parts
    this.#pausedNames = names
    for (const member of this.#members.values()) {
      const paused = names.has(member.carrier.name)
      if (paused === member.paused) continue
      member.paused = paused
      member.since = clock.now()
      log.warn({ carrier: member.carrier.name }, paused ? 'a carrier was paused' : 'a carrier was resumed')
      if (!paused) this.#takeUp(member)
    }
  }

  /** Brings receipts without a message to theirs, of each carrier as many as are looked at together. */
  async matchReceipts(): Promise<void> {
    for (const { carrier, early } of this.#members.values())
      await early.match().catch(this.#parts.fault(`carriers/${carrier.name}`))
  }

  async #ofAll(what: keyof Behind): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ behind }) => behind[what]()))
  }

  #stateOf(name: string): CarrierState['kind'] {
    const member = this.#members.get(name)
    return !member || member.paused ? 'away' : member.carrier.state().kind
  }

  #open(settings: CarrierSettings): void {
    const { database, clock, log, worker, lane, askAgainMs } = this.#parts
    const carrier = this.#parts.create(settings)
    const { name } = carrier
    const onFault = this.#parts.fault(`carriers/${name}`)
    const receipts = new Receipts({ ...this.#parts, carrier, onFault })
    const takeReceipts = (some: readonly Receipt[]) => receipts.take(some)
    const takeVerdicts = (verdicts: readonly PartVerdict[]) => receipts.takeVerdicts(verdicts)
    const decisions = new Decisions({
      ...this.#parts,
      takeVerdicts,
      notify: (of, jobs) => worker.notify(of, jobs),
      onFault,
    })
    const late = {
      ...this.#parts,
      carrier,
      choice: this,
      takeVerdicts,
      notify: (kind: 'dispatch' | 'await') => worker.notify({ kind, lane: name }),
    }
    const handOver = new HandOver(this.#parts, {
      carrier,
      choice: this,
      decisions,
      references: this.#references,
      told: {
        onAnswer: (ticket, outcome) => logAnswer(log, name, { ticket, outcome }),
        onPrepared: () => worker.wake({ kind: 'dispatch', lane: name }),
        onUncertain: (ticket) => log.warn({ carrier: name, ticket }, 'a carrier did not answer a submission'),
        onFault,
      },
    })
    const onMatch = (ticket: Ticket) =>
      log.info({ carrier: name, ticket }, 'a receipt ended an uncertain message to its number')
    let begun = false
    let closing = false
    let before: Pick<CarrierState, 'kind' | 'reason'> = carrier.state()
    const begin = () => {
      begun = true
      carrier.start({
        onReceipts: takeReceipts,
        onLateAnswer(ticket, outcome) {
          logAnswer(log, name, { ticket, outcome, late: true })
          void takeLateAnswer(late, ticket, outcome).catch(onFault)
        },
        onChange: () => {
          if (closing) return
          const { kind, reason } = carrier.state()
          const turned = (kind === 'up') !== (before.kind === 'up')
          if (turned || (reason !== before.reason && reason !== ''))
            log[kind === 'up' ? 'info' : 'warn'](
              { carrier: name, state: kind, reason },
              'a carrier has changed',
            )
          if (turned) member.since = clock.now()
          if (turned && kind === 'up') this.#takeUp(member)
          before = { kind, reason: reason === '' ? before.reason : reason }
          worker.wake({ kind: 'dispatch', lane: name })
        },
        onFault,
      })
    }
    const member: Member = {
      carrier,
      early: new EarlyReceipts({ database, clock, takeReceipts, onMatch }, carrier),
      settings,
      paused: this.#pausedNames.has(name),
      since: clock.now(),
      behind: {
        async close() {
          // Set while shutting down, so the disconnect is not logged.
          closing = true
          if (begun) await carrier.close(CLOSE_MS).catch(onFault)
        },
        async flush() {
          await decisions.finish()
          await receipts.end().catch(onFault)
        },
      },
      begin,
    }
    this.#members.set(name, member)
    if (this.#isStarted) begin()
    worker.open({ ...lane, kind: 'dispatch', lane: name, ...handOver.lane })
    const inquiry = { database, clock, carrier, decisions, takeReceipts, takeVerdicts, askAgainMs, onFault }
    worker.open({
      ...lane,
      kind: 'await',
      lane: name,
      handle: (jobs, done) => awaitReceipts(inquiry, jobs, done),
      ...capacityForQueries(carrier),
    })
  }

  /** Makes the messages due that wait for a carrier to be back. */
  #takeUp({ carrier: { name } }: Member): void {
    const lane = { kind: 'dispatch', lane: name } as const
    const work = async () => {
      for (let owner: string | undefined = ''; owner !== undefined && this.isUp(name); ) {
        const from: string = owner
        const { due, next } = await this.#parts.database.write(
          (tx) => bringForward(tx, lane, { from, now: this.#parts.clock.now() }),
          { patient: true },
        )
        this.#parts.worker.notify(lane, due)
        owner = next
      }
    }
    work().catch(this.#parts.fault(`carriers/${name}`))
  }

  async #shut({ carrier: { name }, behind }: Member): Promise<void> {
    const lanes = (['dispatch', 'await'] as const).map((kind) => ({ kind, lane: name }))
    await this.#parts.worker.close(lanes, CLOSE_MS, behind)
    this.#members.delete(name)
  }
}

/** Queries take a carrier's capacity too, so they get only a part of it. */
function capacityForQueries(carrier: Carrier): Pick<Lane, 'capacity'> {
  return carrier.query ? { capacity: () => Math.max(FEW_QUERIES, Math.ceil(carrier.capacity() / 4)) } : {}
}
