import type { Clock } from '@wigwag/contract'
import type { Bind, ShortMessage } from '../codec/pdu.ts'
import type { MessageState } from '../receipt.ts'
import type { StatusKind } from '../status.ts'
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
