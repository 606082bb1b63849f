import type { Micros } from '@wigwag/contract'

/** What a person allows a connection to do. What is left out is not limited. */
export interface Limits {
  /** How much it may spend on a day in UTC. */
  dailySpend?: Micros | undefined
  /** How many messages it may send on a day in UTC. */
  dailyMessages?: number | undefined
  /** To whom: whole numbers, or the beginning of one and `*`. */
  recipients?: readonly string[] | undefined
}
