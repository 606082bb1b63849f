import type { Ticket } from '../domain/ids.ts'

/**
 * What the gateway needs from outside. Rooms that plug in (`carriers`, `net`) implement these;
 * `compose.ts` hands the implementations over.
 */

/** A request to an address that a client chose, so it is hostile until proven otherwise. */
export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: Uint8Array
  /** For everything: look-up, connection, request and reply. */
  timeoutMs: number
  /** The reply is read up to here and the rest dropped. */
  maxReplyBytes: number
}

export type OutboundFailure =
  | 'invalid_url'
  | 'blocked_address'
  | 'dns_failed'
  | 'connect_failed'
  | 'tls_failed'
  | 'timeout'
  | 'connection_lost'

export type OutboundResult =
  | {
      kind: 'reply'
      status: number
      /** Names in lower case. */
      headers: Readonly<Record<string, string>>
      body: Uint8Array
      truncated: boolean
      latencyMs: number
    }
  | {
      kind: 'failure'
      /** `before`: nothing was sent. `during`: the receiver may have seen the request. */
      stage: 'before' | 'during'
      failure: OutboundFailure
      detail: string
      latencyMs: number
    }

/** Never rejects: a failure is a result, since what happens next depends on its stage. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundResult>

/**
 * Why an {@link Outbound} would refuse a URL before it looks up or calls anything, such as "the host is a private
 * address"; undefined when it would try.
 */
export type TargetRefusal = (url: string) => string | undefined

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

/** What a carrier may say of a message in the end. */
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
  /** The carrier is sure that it never got it: it may be submitted again. */
  | { kind: 'never_received' }
  | { kind: 'unknown' }

/** A message that a carrier is asked about. */
export interface Asked {
  ticket: Ticket
  carrierRef: string | undefined
}

/** Whoever carries messages to phones. */
export interface Carrier {
  readonly name: string
  /** How long to wait for a receipt before asking for it. */
  readonly receiptExpectedMs: number
  /** One outcome per message, in order. */
  submit(messages: readonly Submission[]): Promise<SubmitOutcome[]>
  /**
   * Asks what happened to messages: one outcome each, in order. `carrierRef` is absent when the submission's outcome
   * was never learnt. Undefined for a carrier that cannot be asked.
   */
  readonly query: ((messages: readonly Asked[]) => Promise<QueryOutcome[]>) | undefined
  /** Where receipts go. A receipt counts as taken once the promise resolves. */
  onReceipts(take: (receipts: readonly Receipt[]) => Promise<void>): void
  close(): void
}
