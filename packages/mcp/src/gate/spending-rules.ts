import { fromDecimal, isAllowed, type Micros, micros, toDecimal } from '@wigwag/contract'
import type { Estimate } from '@wigwag/sdk'
import { ToolError } from '../tool-error.ts'
import type { Attempt, DayUse, EarlierSend, Known } from './journal.ts'

/** What a person allows a connection to do. A field that is left out sets no limit. */
export interface Limits {
  /** How much it may spend per day, in UTC. */
  dailySpend?: Micros | undefined
  /** How many messages it may send per day, in UTC. */
  dailyMessages?: number | undefined
  /** Whom it may send to: whole numbers, or prefixes followed by `*`. */
  recipients?: readonly string[] | undefined
}

const ONLY_A_PERSON = 'Only the person who set it up can allow more recipients.'
const UNTIL = 'A new day begins at 00:00 UTC; only the person who set the limit can change it.'

/** A send that has not been allowed yet. */
export interface Candidate extends Attempt {
  /** Whether the caller chose the key, and so means the send, however alike another one is. */
  isMeant: boolean
}

/** What limits leave of a day. A field is absent when no limit is known. */
export interface Left {
  spend?: Micros
  messages?: number
}

export function checkRecipient(to: string, { recipients }: Limits): void {
  if (!recipients || isAllowed(to, new Set(recipients))) return
  throw new ToolError(
    `Nothing was sent: this connection may send to ${recipients.join(', ') || 'no one'}, and not to ${to}. ` +
      ONLY_A_PERSON,
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

export function checkAgreed(cost: Micros, agreed: Micros): void {
  if (cost <= agreed) return
  throw new ToolError(
    `Nothing was sent: the message now costs ${toDecimal(cost)}, and the person agreed to ${toDecimal(agreed)}. ` +
      'Call again, so that they are asked about the new price.',
  )
}

/** What the gateway's limits leave. It enforces them itself: this keeps a person from being asked about what is then refused. */
export function checkAllowance({ Allowance, Cost, Currency }: Estimate, to: string): Left {
  if (!Allowance) return {}
  const { Spend, Messages, Recipient } = Allowance
  if (!Recipient)
    throw new ToolError(`Nothing was sent: this connection may not send to ${to}. ${ONLY_A_PERSON}`)
  if (Messages < 1 || Cost > Spend) {
    throw new ToolError(
      `Nothing was sent: this connection may send ${Messages} more messages today and spend ${Spend} ${Currency}; ` +
        `the message costs ${Cost} ${Currency}. ${UNTIL}`,
    )
  }
  const spend = fromDecimal(Spend)
  return { messages: Messages, ...(spend !== undefined && { spend }) }
}

/** The earlier send with the same idempotency key: the gateway answers a repeat of it without sending again. */
export function repeatedSend(
  { keyed, copied }: Pick<Known, 'keyed' | 'copied'>,
  { digest, key }: Candidate,
): EarlierSend | undefined {
  if (keyed.some((send) => send.digest !== digest)) {
    throw new ToolError(
      `Nothing was sent: the idempotency_key ${key} was used for another message. Use a new key for a new message.`,
    )
  }
  return copied ? undefined : keyed[0]
}

export function checkDuplicate(twin: EarlierSend | undefined, { isMeant }: Candidate): void {
  if (isMeant || !twin) return
  const which = twin.ticket ? `its ticket is ${twin.ticket}` : 'its ticket is not known yet'
  throw new ToolError(
    `Nothing was sent: the same message was sent less than two minutes ago; ${which}. If it is meant to go out ` +
      'twice, call again with a new idempotency_key.',
  )
}

/** Throws when the day leaves no room for the candidate; otherwise says what it leaves before that one. */
export function checkDay({ messages, spent, unpriced }: DayUse, { cost }: Candidate, limits: Limits): Left {
  const { dailyMessages, dailySpend } = limits
  const left: Left = dailyMessages === undefined ? {} : { messages: dailyMessages - messages }
  if (dailyMessages !== undefined && messages >= dailyMessages) {
    throw new ToolError(
      `Nothing was sent: this connection may send ${dailyMessages} messages a day, and ${messages} are sent or in ` +
        `progress. ${UNTIL}`,
    )
  }
  if (dailySpend === undefined || cost === null) return left
  if (unpriced) {
    throw new ToolError(
      'Nothing was sent: the price of a message sent today is not known, so what is left of the daily spend is ' +
        `not known. ${UNTIL}`,
    )
  }
  if (spent + cost > dailySpend) {
    throw new ToolError(
      `Nothing was sent: the message costs ${toDecimal(cost)}, and ${toDecimal(micros(Math.max(0, dailySpend - spent)))} ` +
        `is left of the ${toDecimal(dailySpend)} that this connection may spend a day. ${UNTIL}`,
    )
  }
  return { ...left, spend: micros(dailySpend - spent) }
}
