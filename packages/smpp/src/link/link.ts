import type { Clock } from '@wigwag/contract'
import type { Address, Bind, ShortMessage } from '../codec/pdu.ts'
import type { MessageState } from '../receipt.ts'
import type { Answer, StatusKind } from '../status.ts'
import type { Pace } from './pace.ts'
import type { Endpoint } from './session.ts'

export interface LinkOptions {
  endpoint: Endpoint
  bind: Bind
  /** Requests without an answer at a time. */
  window: number
  /** Shared by all links to a carrier. */
  pace: Pace
  /** The carrier's meanings of statuses, where they differ from the standard. */
  statuses: ReadonlyMap<number, StatusKind>
  enquireMs: number
  responseMs: number
  /** A queued message is given back after this time; later parts of a begun one, after ten times that. */
  writtenWithinMs: number
  /** The pause after the first failure to connect. Each further failure doubles it, up to a minute. */
  reconnectMs: number
  /** The first rest after the carrier was too busy. Each further one doubles it, up to half a minute. */
  restMs: number
  clock: Clock
  /** From 0 to 1. */
  random(): number
}

export interface LinkEvents {
  /**
   * A receipt or a message from a phone. Buffers in it are valid during the call alone. It is acknowledged once the
   * promise resolves; when it rejects, the carrier is asked to bring it again.
   */
  onMessage(message: ShortMessage): Promise<void>
  onState(): void
  /** Requests have left or were answered, so there may be capacity for more. */
  onCapacity(): void
}

export type LinkState = 'connecting' | 'bound' | 'resting' | 'closed'

export type QueryAnswer = { kind: 'state'; state: MessageState } | { kind: 'unknown' }

/** A bind that is kept up until it is closed. */
export interface Link {
  readonly state: LinkState
  /** Why it is not bound; contains no password. */
  readonly reason: string
  readonly queued: number
  readonly unanswered: number
  /** How often the carrier was too busy. */
  readonly rests: number
  /** How many more requests it can take now without a long wait. */
  capacity(): number
  /** How long until it may be worth to try again. */
  retryMs(): number
  /**
   * Never rejects. Calls `late` when an answer comes after the outcome was called uncertain. With
   * `continues`, the message is a further part of the one submitted just before.
   */
  submit(message: ShortMessage, late: (answer: Answer) => void, continues?: boolean): Promise<Answer>
  /** Asks for the state of a message. Never rejects. */
  query(id: string, source: Address): Promise<QueryAnswer>
  /** Takes nothing more, waits for answers, and unbinds. */
  close(withinMs: number): Promise<void>
}
