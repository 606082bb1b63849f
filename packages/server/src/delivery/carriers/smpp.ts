import { type Answer, Link, Pace, readInbound, type ShortMessage } from '@wigwag/smpp'
import { plainNumber } from '../../kernel/phone/phone.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierState,
  Receipt,
  Submission,
  SubmitOutcome,
  SubmittedPart,
} from '../carrier.ts'
import type { SmppSettings } from './settings.ts'
import { idOfAnswer, idOfReceipt, outcomeOf, partsFor, receiptOf, sourceOf } from './smpp-messages.ts'

export const RECEIPT_EXPECTED_MS = MINUTE_MS
/** Messages wait outside of the links, where nothing counts as handed over. */
const WRITTEN_WITHIN_MS = 1_000
/** With a pace, a message is taken at most this long before it may leave. */
const AHEAD_MS = 100
const FIRST_REST_MS = 1_000
const LONGEST_WAIT_MS = MINUTE_MS
/** PDUs may leave in bursts of a tenth of a second: carriers count in short spans. */
const BURSTS_A_SECOND = 10

/** A carrier that is reached over SMPP, by one or several binds. */
export class SmppCarrier implements Carrier {
  readonly name: string
  readonly receiptExpectedMs = RECEIPT_EXPECTED_MS
  readonly receipts: Carrier['receipts']
  readonly hasNumericIds: boolean
  readonly unanswered: Carrier['unanswered']
  readonly query: Carrier['query']
  readonly #settings: SmppSettings
  readonly #clock: Clock
  readonly #random: () => number
  readonly #submitOnly: boolean
  readonly #pace: Pace
  /** The links that submissions go over, and those that only bring receipts. */
  readonly #links: Link[] = []
  readonly #receivers: Link[] = []
  #events: CarrierEvents | undefined
  #unreadable = 0
  #inbound = 0
  /** Whether the caller has seen that there is no capacity, so that it waits to be told. */
  #isFull = false
  #isTimed = false
  #gathered: Gathered | undefined

  constructor(
    settings: SmppSettings,
    parts: {
      clock: Clock
      /** From 0 to 1. */
      random(): number
      /** Takes no receipts: those of a running gateway would be brought here otherwise. */
      submitOnly?: boolean
    },
  ) {
    const { clock } = parts
    const { tps } = settings
    this.name = settings.name
    this.receipts = settings.receipts
    this.hasNumericIds = settings.ids !== 'same'
    this.unanswered = settings.unanswered
    this.query = settings.query ? (part) => this.#query(part) : undefined
    this.#settings = settings
    this.#clock = clock
    this.#random = parts.random
    this.#submitOnly = parts.submitOnly ?? false
    this.#pace = new Pace({ tps, burst: tps / BURSTS_A_SECOND, elapsed: clock.elapsed })
  }

  start(events: CarrierEvents): void {
    this.#events = events
    const { bind, binds } = this.#settings
    for (let count = 0; count < binds; count++) {
      this.#links.push(this.#open(bind === 'pair' || this.#submitOnly ? 'transmitter' : 'transceiver'))
      if (bind === 'pair' && !this.#submitOnly) this.#receivers.push(this.#open('receiver'))
    }
  }

  capacity(): number {
    const found = this.#currentCapacity()
    // The mark falls when the caller is told. Somebody else may ask meanwhile, such as for a report.
    if (found === 0) {
      this.#isFull = true
      this.#tellInTime()
    }
    return found
  }

  state(): CarrierState {
    const links = this.#links
    const resting = links.find((link) => link.state === 'resting')
    const lost = [...links, ...this.#receivers].find((link) => link.state === 'connecting')
    const kind = this.#bound().length > 0 ? 'up' : resting ? 'resting' : 'away'
    return {
      kind,
      reason: (kind === 'resting' ? resting : lost)?.reason ?? (links.length === 0 ? 'not started' : ''),
      inWindow: links.reduce((sum, { unanswered }) => sum + unanswered, 0),
      rests: links.reduce((sum, { rests }) => sum + rests, 0),
      unreadable: this.#unreadable,
      inbound: this.#inbound,
    }
  }

  /** So much capacity is worth to be told of. The caller fetches what fits, and that has a price. */
  get enough(): number {
    const { tps, window: each } = this.#settings
    const window = this.#bound().length * each
    const most = tps === 0 ? window : Math.min(window, (tps * AHEAD_MS) / 1_000)
    return Math.max(1, Math.ceil(most / 4))
  }

  async submit(message: Submission): Promise<SubmitOutcome> {
    const link = this.#bound().sort((one, other) => other.capacity() - one.capacity())[0]
    if (!link) return this.#away()
    const parts = this.#written(message)
    if (!parts) return { kind: 'not_taken', reason: 'it cannot be written' }
    const answers = new Map<number, Answer>()
    const outcome = () => outcomeOf(message, answers, parts.length)
    const learn = (part: number, answer: Answer) =>
      answers.set(part, answer.kind === 'accepted' ? { ...answer, id: idOfAnswer(answer.id) } : answer)
    let isReported = false
    let begun = false
    const submitPart = async (short: ShortMessage, part: number) => {
      const late = (answer: Answer) => {
        learn(part, answer)
        if (isReported) this.#events?.onLateAnswer(message.ticket, outcome())
      }
      const continues = begun
      begun = true
      learn(part, await link.submit(short, late, continues))
    }
    await Promise.all(
      parts.flatMap((short, part) => (message.taken.includes(part) ? [] : [submitPart(short, part)])),
    )
    isReported = true
    return outcome()
  }

  async close(withinMs: number): Promise<void> {
    await Promise.all([...this.#links, ...this.#receivers].map((link) => link.close(withinMs)))
  }

  #open(kind: 'transceiver' | 'transmitter' | 'receiver'): Link {
    const { host, port, tls, systemId, password, systemType } = this.#settings
    const version = this.#settings.version === '5.0' ? 0x50 : 0x34
    return new Link(
      {
        ...this.#settings,
        endpoint: { host, port, tls },
        bind: { kind, systemId, password, systemType, version },
        pace: this.#pace,
        clock: this.#clock,
        random: this.#random,
        writtenWithinMs: WRITTEN_WITHIN_MS,
        restMs: FIRST_REST_MS,
      },
      {
        onMessage: (message) => this.#hear(message),
        onState: () => this.#events?.onChange(),
        onCapacity: () => this.#tellOfCapacity(),
      },
    )
  }

  #bound(): Link[] {
    return this.#links.filter(({ state }) => state === 'bound')
  }

  /** How many more PDUs the links can take and will soon write. */
  #currentCapacity(): number {
    const inLinks = this.#bound().reduce((sum, link) => sum + link.capacity(), 0)
    const queued = this.#links.reduce((sum, link) => sum + link.queued, 0)
    return Math.max(0, Math.min(inLinks, this.#pace.within(AHEAD_MS) - queued))
  }

  /** A slow pace has no capacity for a while though nothing waits in the links, which would tell of it. */
  #tellInTime(): void {
    const waitMs = this.#pace.waitMs() - AHEAD_MS
    if (this.#isTimed || waitMs <= 0) return
    this.#isTimed = true
    this.#clock.after(Math.ceil(waitMs), () => {
      this.#isTimed = false
      this.#tellOfCapacity()
    })
  }

  /** Not at the first place that becomes free. */
  #tellOfCapacity(): void {
    if (!this.#isFull) return
    if (this.#currentCapacity() < this.enough) {
      this.#tellInTime()
      return
    }
    this.#isFull = false
    this.#events?.onChange()
  }

  /** Undefined for a message that can't be written: certainly nothing of it was sent. */
  #written(message: Submission): ShortMessage[] | undefined {
    try {
      return partsFor(message, this.#clock.now(), this.#settings)
    } catch (error) {
      this.#events?.onFault(error)
      return undefined
    }
  }

  /** The link that is back first says when to try again. */
  #away(): SubmitOutcome {
    const [first] = this.#links.toSorted((one, other) => one.retryMs() - other.retryMs())
    const afterMs = Math.min(Math.max(first?.retryMs() ?? 0, 1), LONGEST_WAIT_MS)
    return { kind: 'later', reason: first?.reason || 'not started', afterMs }
  }

  async #hear(message: ShortMessage): Promise<void> {
    const found = readInbound(message)
    switch (found.kind) {
      case 'message':
        this.#inbound++
        return
      case 'unreadable':
        this.#unreadable++
        // Cut off on its way, it may be whole the next time. Otherwise it would come again for ever.
        if (message.torn) throw new Error(found.why)
        return
      case 'progress':
        return
      case 'receipt': {
        const { id, ...rest } = found.receipt
        const receipt = receiptOf(idOfReceipt(id, this.#settings.ids), rest)
        if (receipt) await this.#keep({ ...receipt, ...sentTo(message) })
      }
    }
  }

  /**
   * Passes on receipts that arrive together as one batch. If that fails, the carrier sends each of them
   * again, and the fault is reported once.
   */
  #keep(receipt: Receipt): Promise<void> {
    if (this.#gathered) {
      this.#gathered.receipts.push(receipt)
      return this.#gathered.kept
    }
    const receipts = [receipt]
    const kept = Promise.resolve()
      .then(() => {
        this.#gathered = undefined
        return this.#events?.onReceipts(receipts)
      })
      .catch((error: unknown) => {
        this.#events?.onFault(error)
        throw error
      })
    this.#gathered = { receipts, kept }
    return kept
  }

  async #query({ sender, ref }: SubmittedPart): Promise<Receipt | undefined> {
    const answer = await this.#bound()[0]?.query(ref, sourceOf(sender, this.#settings))
    if (answer === undefined || answer.kind === 'unknown') return undefined
    return receiptOf(ref, { state: answer.state, error: '' })
  }
}

/** A receipt comes from the number that its message went to. */
function sentTo({ source }: ShortMessage): Pick<Receipt, 'recipient'> {
  const recipient = plainNumber(source.digits)
  return /^\d{1,15}$/.test(recipient) ? { recipient } : {}
}

/** Receipts that wait for the end of a turn of the event loop. */
interface Gathered {
  receipts: Receipt[]
  kept: Promise<void>
}
