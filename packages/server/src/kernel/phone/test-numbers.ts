import type { Status } from '../message.ts'

/** How the simulator treats a message to a number with this ending. */
export type TestOutcome = 'undelivered' | 'expired' | 'refused' | 'never_taken' | 'silent' | 'repeated'

/** A number that ends in these digits decides how its message ends, in a sandbox. */
export interface TestNumber {
  ending: string
  outcome: TestOutcome
  status: Status
  /** A further effect, in words. */
  also?: string
}

export const TEST_NUMBERS: readonly TestNumber[] = [
  { ending: '00001', outcome: 'undelivered', status: 'undelivered' },
  { ending: '00002', outcome: 'expired', status: 'expired' },
  { ending: '00003', outcome: 'refused', status: 'rejected' },
  { ending: '00004', outcome: 'never_taken', status: 'failed', also: 'after retries' },
  { ending: '00005', outcome: 'silent', status: 'pending', also: 'until you say' },
  {
    ending: '00006',
    outcome: 'repeated',
    status: 'success',
    also: 'with its receipts repeated and out of order',
  },
]

const OUTCOMES = new Map(TEST_NUMBERS.map(({ ending, outcome }) => [ending, outcome]))

/** The outcome of a message, by the last digits of its recipient. */
export function outcomeOf(recipient: string): TestOutcome | 'success' {
  return OUTCOMES.get(recipient.slice(-5)) ?? 'success'
}
