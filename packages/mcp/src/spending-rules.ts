import { fromDecimal, isAllowed, type Micros, micros, toDecimal } from '@wigwag/contract'
import { dayOf } from './journal.ts'
import type { Limits } from './limits.ts'
import { copiesOf, type RecordedSend } from './sends.ts'
import { ToolError } from './tool-error.ts'

const TWO_MINUTES = 120_000
/** The gateway remembers a key for 24 hours; an hour less, so that no send goes uncounted at the edge. */
const KEY_LIFE = 23 * 3_600_000
const UNTIL = 'A new day begins at 00:00 UTC; only the person who set the limit can change it.'

/** A send that asks to be let through. */
export interface Candidate {
  at: number
  digest: string
  cost: Micros | undefined
  key: string | undefined
}

export function checkRecipient(to: string, { recipients }: Limits): void {
  if (!recipients || isAllowed(to, new Set(recipients))) return
  throw new ToolError(
    `Nothing was sent: this connection may send to ${recipients.join(', ') || 'nobody'}, and not to ${to}. Only the ` +
      'person who set it up can allow more recipients.',
  )
}

export function checkMaxCost(cost: Micros, maxCost: number): void {
  const most = fromDecimal(maxCost)
  if (most !== undefined && cost <= most) return
  throw new ToolError(
    `Nothing was sent: the message costs ${toDecimal(cost)}, more than the max_cost of ${maxCost}. ` +
      'Shorten it, or ask the person for a higher max_cost.',
  )
}

/** The send that this one repeats by its key, which the gateway answers without sending again. */
export function repeatedSend(
  sends: readonly RecordedSend[],
  { at, digest, key }: Candidate,
): RecordedSend | undefined {
  if (key === undefined) return undefined
  const earlier = sends.filter((send) => send.keys.has(key) && send.at > at - KEY_LIFE)
  if (earlier.some((send) => send.digest !== digest)) {
    throw new ToolError(
      `Nothing was sent: the idempotency_key ${key} was used for another message. Use a new key for a new message.`,
    )
  }
  // A key that gave two tickets is not honoured, so a repeat is a new message.
  return sends.some((send) => copiesOf(send) > 1) ? undefined : earlier[0]
}

export function checkDuplicate(sends: readonly RecordedSend[], { at, digest, key }: Candidate): void {
  if (key !== undefined) return
  const twin = sends.findLast((send) => send.digest === digest && send.at > at - TWO_MINUTES)
  if (!twin) return
  const [ticket] = twin.tickets
  const which = ticket ? `its ticket is ${ticket}` : 'its ticket is not known yet'
  throw new ToolError(
    `Nothing was sent: the same message was sent less than two minutes ago; ${which}. If it is meant to go out ` +
      'twice, call again with an idempotency_key of its own.',
  )
}

export function checkDay(sends: readonly RecordedSend[], candidate: Candidate, limits: Limits): void {
  const { dailyMessages, dailySpend } = limits
  const today = sends.filter((send) => dayOf(send.at) === dayOf(candidate.at))
  const messages = today.reduce((sum, send) => sum + copiesOf(send), 0)
  if (dailyMessages !== undefined && messages >= dailyMessages) {
    throw new ToolError(
      `Nothing was sent: this connection may send ${dailyMessages} messages a day, and ${messages} are sent or under ` +
        `way. ${UNTIL}`,
    )
  }
  if (dailySpend === undefined || candidate.cost === undefined) return
  if (today.some(({ cost }) => cost === null)) {
    throw new ToolError(
      'Nothing was sent: the gateway did not say what a message of today cost, so what is left of the daily spend is ' +
        `not known. ${UNTIL}`,
    )
  }
  const spent = today.reduce((sum, send) => sum + (send.cost ?? 0) * copiesOf(send), 0)
  if (spent + candidate.cost > dailySpend) {
    throw new ToolError(
      `Nothing was sent: the message costs ${toDecimal(candidate.cost)}, and ${toDecimal(micros(Math.max(0, dailySpend - spent)))} ` +
        `is left of the ${toDecimal(dailySpend)} that this connection may spend a day. ${UNTIL}`,
    )
  }
}
