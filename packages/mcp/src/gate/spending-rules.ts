import { fromDecimal, isAllowed, type Micros, micros, toDecimal } from '@wigwag/contract'
import type { Balance, Estimate } from '@wigwag/sdk'
import { type Refusal, ToolError } from '../refusal.ts'
import type { Attempt, DayUse, EarlierSend, Known } from './journal.ts'

/** The limits that a person sets for a connection. A field that is left out sets no limit. */
export interface Limits {
  /** How much it may spend per day, in UTC. */
  dailySpend?: Micros | undefined
  /** How many messages it may send per day, in UTC. */
  dailyMessages?: number | undefined
  /** Whom it may send to: whole numbers, or prefixes followed by `*`. */
  recipients?: readonly string[] | undefined
}

const ALLOW_RECIPIENT = 'ask the person who set it up to allow this recipient'
const NEXT_DAY = 'wait for the next day, which begins at 00:00 UTC, or ask the person to raise the limit'

/** A send that has not been allowed yet. */
export interface Candidate extends Attempt {
  /** Whether the caller chose the key, and so means the send, however alike another one is. */
  isMeant: boolean
}

/** The rest of a day's limits. A field is absent when no limit is known. */
export interface Left {
  spend?: Micros
  messages?: number
}

export function checkRecipient(to: string, { recipients }: Limits): void {
  if (!recipients || isAllowed(to, new Set(recipients))) return
  const allowed = recipients.join(', ') || 'no one'
  throw notSent({ why: `this connection may send to ${allowed}, and not to ${to}`, todo: ALLOW_RECIPIENT })
}

export function checkMaxCost(cost: Micros, maxCost: number): void {
  const most = fromDecimal(maxCost)
  if (most !== undefined && cost <= most) return
  throw notSent({
    why: `the message costs ${toDecimal(cost)}, more than the max_cost of ${maxCost}`,
    todo: 'shorten it, or ask the person for a higher max_cost',
  })
}

export function checkAgreed(cost: Micros, agreed: Micros): void {
  if (cost <= agreed) return
  throw notSent({
    why: `the message now costs ${toDecimal(cost)}, and the person agreed to ${toDecimal(agreed)}`,
    todo: 'call again, so that they are asked about the new price',
  })
}

/** Limits that can't be checked without the price. */
export type LimitOnCost = 'max_cost' | 'the daily spend' | 'the price agreed to'

/** The price, for a limit that needs it. */
export function priceFor(limit: LimitOnCost, estimate: Pick<Estimate, 'Cost'> | undefined): Micros {
  const cost = estimate && fromDecimal(estimate.Cost)
  if (cost !== undefined) return cost
  const told = estimate ? `gave ${estimate.Cost} as the price` : 'tells no prices'
  throw notSent({
    why: `this gateway ${told}, so ${limit} can not be checked`,
    todo: 'ask the person whether to send without this limit',
  })
}

/**
 * Checks the limits that the gateway enforces itself, so that no person is asked about a send that it would
 * refuse.
 */
export function checkAllowance(estimate: Estimate, to: string): Left {
  const { Allowance, Cost, Currency } = estimate
  if (!Allowance) return {}
  const { Spend, Messages, Recipient } = Allowance
  if (!Recipient) throw notSent({ why: `this connection may not send to ${to}`, todo: ALLOW_RECIPIENT })
  if (Messages !== undefined && Messages < 1) {
    throw notSent({ why: 'this connection has sent all the messages that it may send today', todo: NEXT_DAY })
  }
  if (Cost > Spend) {
    const why = `the message costs ${Cost} ${Currency}, and this connection may spend ${Spend} ${Currency} more today`
    throw notSent({ why, todo: NEXT_DAY })
  }
  return leftAtGateway(estimate)
}

/** The rest of today's limits that the gateway enforces. */
export function leftAtGateway({ Allowance }: Pick<Partial<Estimate>, 'Allowance'> = {}): Left {
  const spend = Allowance && fromDecimal(Allowance.Spend)
  return {
    ...(Allowance?.Messages !== undefined && { messages: Allowance.Messages }),
    ...(spend !== undefined && { spend }),
  }
}

/** The rest of the limits after one more message at this price. */
export function leftAfter({ spend, messages }: Left, cost: Micros | undefined): Left {
  return {
    ...(spend !== undefined && cost !== undefined && { spend: micros(Math.max(0, spend - cost)) }),
    ...(messages !== undefined && { messages: Math.max(0, messages - 1) }),
  }
}

/** The gateway holds the price itself, so this too is only for the person. A balance that is not known refuses nothing. */
export function checkFunds({ Cost, Currency }: Estimate, known: Pick<Balance, 'balance'> | undefined): void {
  if (!known || Cost <= known.balance) return
  throw notSent({
    why: `the message costs ${Cost} ${Currency} and the wallet can spend ${known.balance} ${Currency}`,
    todo: 'ask the person to have the wallet topped up',
  })
}

/** The earlier send with the same idempotency key: the gateway answers a repeat of it without sending again. */
export function repeatedSend(
  { keyed, copied }: Pick<Known, 'keyed' | 'copied'>,
  { digest, key }: Pick<Candidate, 'digest' | 'key'>,
): EarlierSend | undefined {
  if (keyed.some((send) => send.digest !== digest)) {
    throw notSent({
      why: `the idempotency_key ${key} was used for another message`,
      todo: 'use a new key for a new message',
    })
  }
  return copied ? undefined : keyed[0]
}

export function checkDuplicate(twin: EarlierSend | undefined, { isMeant }: Pick<Candidate, 'isMeant'>): void {
  if (isMeant || !twin) return
  const which = twin.ticket ? `its ticket is ${twin.ticket}` : 'its ticket is not known yet'
  throw notSent({
    why: `the same message was sent less than two minutes ago, and ${which}`,
    todo: 'call again with a new idempotency_key if it is meant to go out twice',
  })
}

/** Throws when the day does not allow the candidate; otherwise returns what was left before it. */
export function checkDay({ messages, spent, unpriced }: DayUse, { cost }: Candidate, limits: Limits): Left {
  const { dailyMessages, dailySpend } = limits
  const left: Left = dailyMessages === undefined ? {} : { messages: dailyMessages - messages }
  if (dailyMessages !== undefined && messages >= dailyMessages) {
    const most = dailyMessages === 1 ? '1 message' : `${dailyMessages} messages`
    const why = `this connection may send ${most} a day, and ${messages} are sent or in progress`
    throw notSent({ why, todo: NEXT_DAY })
  }
  if (dailySpend === undefined || cost === null) return left
  if (unpriced) {
    const why = 'the price of a message sent today is not known, nor is what is left of the daily spend'
    throw notSent({ why, todo: NEXT_DAY })
  }
  if (spent + cost > dailySpend) {
    const rest = toDecimal(micros(Math.max(0, dailySpend - spent)))
    const why =
      `the message costs ${toDecimal(cost)}, and ${rest} is left of the ${toDecimal(dailySpend)} that this ` +
      'connection may spend a day'
    throw notSent({ why, todo: NEXT_DAY })
  }
  return { ...left, spend: micros(dailySpend - spent) }
}

function notSent(refusal: Omit<Refusal, 'outcome'>): ToolError {
  return new ToolError({ outcome: 'Nothing was sent', ...refusal })
}
