import type { EpochMs, Ticket } from '../kernel/ids.ts'

/** A message on its way to a carrier. */
export interface Submission {
  ticket: Ticket
  sender: string
  /** The recipient's digits, with the country code and without a plus. */
  recipient: string
  content: string
  encoding: 'GSM-7' | 'UCS-2'
  /** When its validity ends. */
  expiresAt: EpochMs
  /**
   * 16 bits that tell the parts of a long message from those of others to the same phone, the same for each submission
   * of a message. Any number where it has one part.
   */
  reference: number
  /** The parts that this carrier has taken already, counted from 0. Only the others are submitted. */
  taken: readonly number[]
}

/** The carrier's reference for one part of a message. */
export interface PartRef {
  part: number
  ref: string
}

const OURS = '~'

/** A reference of ours, for a part that the carrier took without giving it one. No receipt names it. */
export function ownRef(ticket: Ticket, part: number): string {
  return `${OURS}${ticket}.${part}`
}

export function isOwnRef(ref: string): boolean {
  return ref.startsWith(OURS)
}

/** Why a carrier did not take a message, or the rest of one. */
export type Refusal =
  /** Refused for good. */
  | { kind: 'rejected'; reason: string }
  /** Certainly not taken; trying again may help. Each try counts as an attempt. */
  | { kind: 'not_taken'; reason: string }
  /** Certainly not taken, because the carrier is away or busy. Costs the message no attempt. */
  | { kind: 'later'; reason: string; afterMs: number }
  /** It is unknown whether it was taken: never submit again blindly. */
  | { kind: 'uncertain' }

export type SubmitOutcome =
  /** Taken as a whole: the references of the parts that were submitted, and how many parts the message has. */
  | { kind: 'accepted'; refs: readonly PartRef[]; parts: number }
  /** Some parts were taken. */
  | { kind: 'partly'; refs: readonly PartRef[]; parts: number; rest: Refusal }
  | Refusal

/** A carrier's final word on a message or a part. */
export type CarrierVerdict = 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed'

export interface Receipt {
  ref: string
  /** Where the carrier repeats our ticket. It finds a message whose reference is not known yet, or never was. */
  ticket?: Ticket
  /** The number that the message went to, as the carrier writes it. */
  recipient?: string
  verdict: CarrierVerdict
  reason?: string
}

/** A part of a message to ask the carrier about. */
export interface SubmittedPart {
  sender: string
  ref: string
}

/** A request with receipts, as the provider of an HTTP carrier sent it. */
export interface ReceiptRequest {
  method: string
  /** Without its question mark. */
  query: string
  headers: Headers
  body: Uint8Array
}

export interface ReceiptAnswer {
  status: number
  body: string
  contentType: string
}

/** A carrier's calls to the gateway. */
export interface CarrierEvents {
  /** A receipt counts as taken once the promise resolves; only then is it acknowledged to the carrier. */
  onReceipts(receipts: readonly Receipt[]): Promise<void>
  /** A submission that was reported as uncertain has been answered after all. */
  onLateAnswer(ticket: Ticket, outcome: SubmitOutcome): void
  /** The state has changed, or there is capacity again. */
  onChange(): void
  onFault(error: unknown): void
}

export interface CarrierState {
  /** `resting`: it asked for fewer messages. */
  kind: 'up' | 'resting' | 'away'
  /** Why it rests or is away; never contains a password. */
  reason: string
  /** Submissions without an answer yet. */
  inWindow: number
  /** Since the start: rests, receipts that could not be read, messages from phones (which are dropped). */
  rests: number
  unreadable: number
  inbound: number
}

/** Carries messages to phones. */
export interface Carrier {
  readonly name: string
  /** How long to wait for a receipt before asking for it. */
  readonly receiptExpectedMs: number
  /** Whether each part of a long message gets a receipt, or only one of them. */
  readonly receipts: 'each' | 'one'
  /** Whether its references are numbers, in which capitals and zeros before them say nothing. */
  readonly hasNumericIds?: boolean
  /** After an uncertain outcome: `hold` waits, `again` submits again, which may deliver a message twice. */
  readonly unanswered: 'hold' | 'again'
  /** How many more messages it can take now, those of other callers included. */
  capacity(): number
  state(): CarrierState
  /** Connects, and reports to `events` from now on. */
  start(events: CarrierEvents): void
  /** Never rejects, and answers within a minute. */
  submit(message: Submission): Promise<SubmitOutcome>
  /** Asks how a part ended; undefined while that is not known. A carrier without a query cannot be asked. */
  readonly query: ((part: SubmittedPart) => Promise<Receipt | undefined>) | undefined
  /** Takes a request with receipts, where this carrier posts them over HTTP. Never rejects. */
  takeReceipts?(request: ReceiptRequest): Promise<ReceiptAnswer>
  /** Takes nothing more, waits for answers, and disconnects. Submissions still unanswered are uncertain. */
  close(withinMs: number): Promise<void>
}

/** A carrier with some of its calls replaced. */
export function around(carrier: Carrier, calls: Partial<Pick<Carrier, 'start' | 'submit'>>): Carrier {
  const { name, receiptExpectedMs, receipts, hasNumericIds = false, unanswered, query } = carrier
  return {
    name,
    receiptExpectedMs,
    receipts,
    hasNumericIds,
    unanswered,
    query,
    capacity: () => carrier.capacity(),
    state: () => carrier.state(),
    start: (events) => carrier.start(events),
    submit: (message) => carrier.submit(message),
    ...(carrier.takeReceipts && { takeReceipts: carrier.takeReceipts.bind(carrier) }),
    close: (withinMs) => carrier.close(withinMs),
    ...calls,
  }
}
