import type { Micros } from '@wigwag/contract'

/** What a person decides on before a tool acts. */
export interface Question {
  /** Everything that they need for it, in plain words. */
  text: string
  /** What a yes means, for the box that they tick: `Send it`. */
  yes: string
  /** The price named in it. A yes covers no more. Undefined when the call costs nothing, or its price is not known. */
  cost?: Micros | undefined
}

/** The person behind an assistant, as far as one call reaches them. */
export interface Person {
  /** Whether the client can show them a question and bring the answer back. */
  canBeAsked: boolean
  /**
   * What the client answered to an earlier question about this call, and the sealed state that was sent with the
   * question. `none` when it failed to answer.
   */
  answer?: { said: ProgramAnswer | 'none'; state: string } | undefined
}

/**
 * What a program answers to a question, in the words of the protocol. It may have shown the question to a person, or
 * answered by itself. A form that comes back without a tick counts as `decline`.
 */
export type ProgramAnswer = 'accept' | 'decline' | 'cancel'

/** What was said yes to. */
export interface Yes {
  /** The highest price that they agreed to. */
  cost: Micros | undefined
  /** The idempotency key of what they agreed to: the same yes again does nothing more. */
  key: string
}
