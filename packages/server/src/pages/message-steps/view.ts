import type { Micros } from '@wigwag/contract'
import type { EpochMs } from '../../domain/ids.ts'
import type { Status } from '../../domain/message.ts'
import type { JobKind } from '../../platform/database/schema.ts'

/** What the steps of a message are drawn from. */
export interface StepsView {
  now: EpochMs
  currency: string
  message: { status: Status; price: Micros; sendAt: number }
  /** The recorded events, in order. */
  timeline: readonly { at: number; event: string; detail?: string }[]
  /** Why it failed, as its customer reads it. */
  failureReason: string | undefined
  /** The carrier that has it, had it or shall get it. */
  carrier: string | undefined
  /** What that carrier calls it. */
  references: readonly string[]
  /** Undefined when it is final. */
  waiting: { for: JobKind; carrier: string | undefined; expiresAt: number } | undefined
  /** With its newest attempts. */
  callback: StepsCallback | undefined
}

export interface StepsCallback {
  state: 'pending' | 'delivered' | 'dead'
  attempts: readonly { seq: number }[]
  nextAttemptAt: number | undefined
}
