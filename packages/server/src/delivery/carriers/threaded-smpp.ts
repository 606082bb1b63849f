import type { Ticket } from '../../kernel/ids.ts'
import { type Clock, overWithin } from '../../kernel/process/clock.ts'
import type { Called } from '../../kernel/process/side-thread.ts'
import { errorOf, type SentError } from '../../kernel/process/thread-messages.ts'
import { SECOND_MS } from '../../kernel/time/spans.ts'
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
import { RECEIPT_EXPECTED_MS } from './smpp.ts'

/** A request of the first thread to the thread of the carriers. Carriers have numbers, of which none is used again. */
export type SmppAsk = { carrier: number } & (
  | { kind: 'open'; settings: SmppSettings }
  | { kind: 'submit'; message: Submission }
  | { kind: 'query'; part: SubmittedPart }
  | { kind: 'close'; withinMs: number }
  /** The receipts of this name were stored, or were not. */
  | { kind: 'receipts'; name: string; areKept: boolean }
)

export type SmppAnswer =
  | { kind: 'outcome'; outcome: SubmitOutcome }
  | { kind: 'receipt'; receipt: Receipt | undefined }
  | { kind: 'done' }

/** News of a carrier from its thread. */
export type SmppTold = { carrier: number } & (
  | ({ kind: 'stands' } & Standing)
  /** The name is of this run of the thread: an answer to another one must not acknowledge these. */
  | { kind: 'receipts'; name: string; receipts: readonly Receipt[] }
  | { kind: 'late'; ticket: Ticket; outcome: SubmitOutcome }
  | { kind: 'fault'; fault: SentError }
)

export interface Standing {
  state: CarrierState
  capacity: number
  /** So much capacity is worth to be told of. */
  enough: number
  /** The submissions that it has seen, which the capacity takes into account. */
  seen: number
  /** Whether the carrier has called for attention since it was told of last. */
  isChange: boolean
}

/** How a carrier reaches the thread that it runs in. */
export interface SmppLine {
  readonly clock: Clock
  readonly isUp: boolean
  call(ask: SmppAsk): Promise<Called<SmppAnswer>>
  tell(ask: SmppAsk): void
  /** From now on the carrier is told of the thread. Its thread starts. */
  join(carrier: ThreadedSmpp): void
  leave(carrier: ThreadedSmpp): void
}

const NO_COUNTS = { rests: 0, unreadable: 0, inbound: 0 }
const ENDED = 'the thread of the carriers has ended; it is started again'
const CLOSING = 'the connection is closing'
/** Beyond the time that the carrier has: to unbind, and to say so. */
const CLOSES_WITHIN_MS = 2 * SECOND_MS

/** A carrier over SMPP whose connections are in another thread, all of them in one. */
export class ThreadedSmpp implements Carrier {
  readonly name: string
  readonly number: number
  readonly receiptExpectedMs = RECEIPT_EXPECTED_MS
  readonly receipts: Carrier['receipts']
  readonly hasNumericIds: boolean
  readonly unanswered: Carrier['unanswered']
  readonly query: Carrier['query']
  readonly #settings: SmppSettings
  readonly #line: SmppLine
  #events: CarrierEvents | undefined
  #isClosed = false
  #standing: Standing = away('not started')
  /** Submissions to this run of the thread. */
  #sent = 0
  /** Whether the caller has seen that there is no capacity, so that it waits to be told. */
  #isFull = false
  /** Of earlier runs of the thread. */
  #before = NO_COUNTS

  constructor(settings: SmppSettings, number: number, line: SmppLine) {
    this.name = settings.name
    this.number = number
    this.receipts = settings.receipts
    this.hasNumericIds = settings.ids !== 'same'
    this.unanswered = settings.unanswered
    this.query = settings.query ? (part) => this.#query(part) : undefined
    this.#settings = settings
    this.#line = line
  }

  start(events: CarrierEvents): void {
    this.#events = events
    this.#standing = away('connecting')
    this.#line.join(this)
    if (this.#line.isUp) this.open()
  }

  capacity(): number {
    const found = this.#free()
    if (found === 0) this.#isFull = true
    return found
  }

  state(): CarrierState {
    const { state } = this.#standing
    const { rests, unreadable, inbound } = this.#before
    return {
      ...state,
      rests: rests + state.rests,
      unreadable: unreadable + state.unreadable,
      inbound: inbound + state.inbound,
    }
  }

  async submit(message: Submission): Promise<SubmitOutcome> {
    if (this.#isClosed) return this.#later(CLOSING)
    this.#sent++
    const called = await this.#line.call({ kind: 'submit', carrier: this.number, message })
    if (called.kind === 'kept') return this.#later(this.#isClosed ? CLOSING : this.state().reason || ENDED)
    // It may have been written: never submit again blindly.
    if (called.kind === 'lost' || called.answer.kind !== 'outcome') return { kind: 'uncertain' }
    return called.answer.outcome
  }

  async close(withinMs: number): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const closed = this.#line.call({ kind: 'close', carrier: this.number, withinMs })
    await overWithin(this.#line.clock, withinMs + CLOSES_WITHIN_MS, closed)
    this.#line.leave(this)
  }

  /** In a thread that has started, and knows of no carrier. */
  open(): void {
    if (this.#isClosed) return
    this.#sent = 0
    // A copy by spreading lacks the password, and so would that of the message.
    const settings = { ...this.#settings, password: this.#settings.password }
    this.#line.tell({ kind: 'open', carrier: this.number, settings })
  }

  /** Its thread has ended, and all connections with it. */
  ended(): void {
    const { rests, unreadable, inbound } = this.state()
    this.#before = { rests, unreadable, inbound }
    this.#standing = away(ENDED)
    this.#sent = 0
    this.#events?.onChange()
  }

  hear(told: SmppTold): void {
    switch (told.kind) {
      case 'stands':
        this.#stand(told)
        return
      case 'receipts':
        void this.#takeReceipts(told.name, told.receipts)
        return
      case 'late':
        this.#events?.onLateAnswer(told.ticket, told.outcome)
        return
      case 'fault':
        this.#events?.onFault(errorOf(told.fault))
    }
  }

  #stand(standing: Standing): void {
    this.#standing = standing
    const free = this.#free()
    if (!standing.isChange && !(this.#isFull && free >= standing.enough)) return
    // The mark falls when the caller is told, however little there is.
    if (free > 0) this.#isFull = false
    this.#events?.onChange()
  }

  /** Less the submissions that the thread has not seen. */
  #free(): number {
    const { capacity, seen } = this.#standing
    return Math.max(0, capacity - (this.#sent - seen))
  }

  async #takeReceipts(name: string, receipts: readonly Receipt[]): Promise<void> {
    const areKept = await (this.#events?.onReceipts(receipts) ?? Promise.resolve()).then(
      () => true,
      (error: unknown) => {
        // Here, where it has its class.
        this.#events?.onFault(error)
        return false
      },
    )
    this.#line.tell({ kind: 'receipts', carrier: this.number, name, areKept })
  }

  async #query(part: SubmittedPart): Promise<Receipt | undefined> {
    if (this.#isClosed) return undefined
    const called = await this.#line.call({ kind: 'query', carrier: this.number, part })
    return called.kind === 'answered' && called.answer.kind === 'receipt' ? called.answer.receipt : undefined
  }

  #later(reason: string): SubmitOutcome {
    return { kind: 'later', reason, afterMs: this.#settings.reconnectMs }
  }
}

function away(reason: string): Standing {
  const state = { kind: 'away', reason, inWindow: 0, ...NO_COUNTS } as const
  return { state, capacity: 0, enough: 1, seen: 0, isChange: true }
}
