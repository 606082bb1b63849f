import type { Micros } from '@wigwag/contract'

/** A question to the person before a tool acts. */
export interface Question {
  /** Everything that they need for it, in plain words. */
  text: string
  /** The label of the box that they tick for yes: `Send it`. */
  yes: string
  /** The price named in it. A yes covers no more. Undefined when the call costs nothing, or its price is not known. */
  cost?: Micros | undefined
}

/** The person behind an assistant, as far as one call reaches them. */
export interface Person {
  /** Whether the client can show them a question and bring the answer back. */
  canBeAsked: boolean
  /**
   * The client's answer to an earlier question about this call, with the question's sealed state. `none` when
   * it failed to answer.
   */
  answer?: { said: ProgramAnswer | 'none'; state: string } | undefined
}

/**
 * A program's answer to a question, in the protocol's words. The program may have shown it to a person, or
 * answered by itself. A form that comes back without a tick counts as `decline`.
 */
export type ProgramAnswer = 'accept' | 'decline' | 'cancel'

/** The terms that a person agreed to. */
export interface Yes {
  /** The highest price that they agreed to. */
  cost: Micros | undefined
  /** The idempotency key of what they agreed to: the same yes again does nothing more. */
  key: string
}
