import { isAllowed, type Micros, micros, parseRules, toDecimal } from '@wigwag/contract'
import { type FieldError, invalidFields, Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insufficientScope, invalidToken } from '../platform/http/problems.ts'
import { type Counted, type PreparedSend, type Remaining, type SendLimits, usedOf } from '../sending/index.ts'
import { allowancesOf, lockAllowances, setDay } from './grant-rows.ts'

const DAY_ENDS = 'The day ends at midnight UTC.'
/** An error names this many rules and counts the others. */
const MOST_NAMED = 10

/** Enforces the limits on grants when sends are accepted, across all processes. */
export const grantLimits: SendLimits = { lock: lockAllowances, refusalOf, remaining, setDay }

/** Why a grant's send is refused, given what it has used today; undefined when it is allowed. */
function refusalOf(send: PreparedSend, counted: Counted | undefined): Problem | undefined {
  if (!counted || counted.allowance.endedAt > 0) return invalidToken()
  const { allowance, used } = counted
  if (allowance.canSend !== 1 || !send.command.principal.grant?.canSend) return insufficientScope('sms:send')
  return (
    forbiddenRecipients(send, allowance.recipients) ??
    tooManyMessages(send.messages.length, used.messages, allowance.dailyMessages) ??
    tooExpensive(send, used.spent, allowance.dailySpend)
  )
}

async function remaining(tx: Tx, id: string, to: string, now: EpochMs): Promise<Remaining | undefined> {
  const [allowance] = await allowancesOf(tx, [id])
  if (!allowance || allowance.endedAt > 0) return undefined
  const { dailySpend, dailyMessages, recipients } = allowance
  const { spent, messages } = usedOf(allowance, now)
  return {
    spend: micros(Math.max(0, dailySpend - spent)),
    messages: Math.max(0, dailyMessages - messages),
    recipient: recipients === null || isAllowed(to, new Set(parseRules(recipients))),
  }
}

function forbiddenRecipients({ command }: PreparedSend, recipients: string | null): Problem | undefined {
  if (recipients === null) return undefined
  const rules = new Set(parseRules(recipients))
  const allowed = inWords([...rules])
  const errors: FieldError[] = []
  for (const [index, { to }] of command.recipients.entries()) {
    if (isAllowed(to, rules)) continue
    const detail = `This connection may send to ${allowed}, and not to ${to}.`
    errors.push({ pointer: command.pointerTo(index), code: 'recipient_not_allowed', detail })
  }
  return errors.length > 0 ? invalidFields(errors) : undefined
}

function inWords(rules: readonly string[]): string {
  const more = rules.length - MOST_NAMED
  const named = rules.slice(0, MOST_NAMED).join(', ')
  return more > 0 ? `${named} and ${more} more` : named || 'nobody'
}

function tooManyMessages(count: number, sent: number, daily: number): Problem | undefined {
  if (sent + count <= daily) return undefined
  const left = Math.max(0, daily - sent)
  return limitReached(`may send ${messages(daily)} a day and has ${left} left; this is ${messages(count)}`)
}

function tooExpensive({ total, command }: PreparedSend, spent: Micros, daily: Micros): Problem | undefined {
  if (spent + total <= daily) return undefined
  const { currency } = command.principal.wallet
  const left = micros(Math.max(0, daily - spent))
  return limitReached(
    `may spend ${toDecimal(daily)} ${currency} a day and has ${toDecimal(left)} left; this costs ${toDecimal(total)}`,
  )
}

function limitReached(what: string): Problem {
  return new Problem('limit_reached', `This connection ${what}. ${DAY_ENDS}`)
}

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`
}
