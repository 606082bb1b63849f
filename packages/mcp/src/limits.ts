import type { Micros } from './money.ts'

/** What a person allows a connection to do. What is left out is not limited. */
export interface Limits {
  /** How much it may spend on a day in UTC. */
  dailySpend?: Micros | undefined
  /** How many messages it may send on a day in UTC. */
  dailyMessages?: number | undefined
  /** To whom: whole numbers, or the beginning of one and `*`. */
  recipients?: readonly string[] | undefined
}

export function isAllowed(to: string, recipients: readonly string[]): boolean {
  return recipients.some((rule) => (rule.endsWith('*') ? to.startsWith(rule.slice(0, -1)) : to === rule))
}
