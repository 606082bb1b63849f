import type { History } from '../history.ts'
import { checkUses } from './first-wins.ts'
import { bookingsOf, sendsOf } from './requests.ts'
import type { Violation } from './violation.ts'

/** Each idempotency key of a send, and each reference of a booking, is used for one thing. */
export function checkKeys(history: History): Violation[] {
  return [...sendsOf(history), ...bookingsOf(history)].flatMap(({ name, uses }) =>
    checkUses(uses).map(
      ({ what, operations }): Violation => ({
        rule: 'keys',
        what: `${name}: ${what}`,
        operations,
      }),
    ),
  )
}
