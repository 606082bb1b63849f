import { elapsed } from '../domain/elapsed.ts'
import { invalidFields } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'

/** The clock of a sandbox, which people move forward. */
export interface MovedClock {
  now(): EpochMs
  ahead(): number
  aheadSince(): EpochMs | undefined
  readonly real: Pick<Clock, 'now'>
}

/** A loop that waits for a message takes its time before the first search, and searches for a while. */
const A_WHILE_MS = 10 * 60_000
/** A program on another machine may have a clock that is a little ahead of ours. */
const SKEW_MS = 5_000
/** With a smaller lead, a search finds no more than what was sent in the last minute. */
const SMALLEST_LEAD_MS = 60_000

/**
 * Refuses a search from now on by the real clock, where the sandbox's was moved forward before: it would find what was sent
 * earlier. A test that reads a one-time code would get an old one, and pass. A time from before the first move was right then.
 */
export function refuseRealNow(from: EpochMs | undefined, clock: MovedClock | undefined): void {
  const since = clock?.aheadSince()
  if (from === undefined || clock === undefined || since === undefined) return
  const lead = clock.ahead()
  const realNow = clock.real.now()
  if (lead < SMALLEST_LEAD_MS || from < since) return
  if (from < realNow - Math.min(lead, A_WHILE_MS) || from > realNow + SKEW_MS) return
  const detail =
    `Expected a time by the sandbox's clock, which was moved ${elapsed(lead)} ahead: it is ${new Date(clock.now()).toISOString()} there. ` +
    `Take the time from the gateway, such as asOf of the balance, or leave DateFrom out.`
  throw invalidFields([{ pointer: '/DateFrom', code: 'invalid_value', detail }])
}
