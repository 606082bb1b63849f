import type { Ticket } from '../domain/ids.ts'

/** A message on its way to the carrier. */
export interface Submission {
  ticket: Ticket
  sender: string
  recipient: string
  content: string
  encoding: 'GSM-7' | 'UCS-2'
}

export type SubmitOutcome =
  | { kind: 'accepted'; carrierRef: string }
  /** Refused for good. */
  | { kind: 'rejected'; reason: string }
  /** Certainly not taken; trying again may help. */
  | { kind: 'not_taken'; reason: string }
  /** Nobody knows: ask later, never submit again blindly. */
  | { kind: 'uncertain' }

/** A carrier's final word on a message. */
export type CarrierVerdict = 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed'

export interface Receipt {
  ticket: Ticket
  carrierRef: string
  verdict: CarrierVerdict
  reason?: string
}

export type QueryOutcome =
  | { kind: 'final'; receipt: Receipt }
  | { kind: 'under_way'; carrierRef: string }
  /** The carrier is certain that it never got the message: it may be submitted again. */
  | { kind: 'never_received' }
  | { kind: 'unknown' }

/** A message to ask the carrier about. */
export interface Asked {
  ticket: Ticket
  carrierRef: string | undefined
}

/** Carries messages to phones. */
export interface Carrier {
  readonly name: string
  /** How long to wait for a receipt before asking for it. */
  readonly receiptExpectedMs: number
  /** One outcome per message, in order. */
  submit(messages: readonly Submission[]): Promise<SubmitOutcome[]>
  /**
   * Asks what happened to messages: one outcome each, in order. `carrierRef` is undefined when the submission's outcome
   * is unknown. The method is undefined for a carrier that cannot be asked.
   */
  readonly query: ((messages: readonly Asked[]) => Promise<QueryOutcome[]>) | undefined
  /** Where receipts go. A receipt counts as taken once the promise resolves. */
  onReceipts(take: (receipts: readonly Receipt[]) => Promise<void>): void
  close(): void
}
