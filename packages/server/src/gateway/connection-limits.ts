import type { DailyUse } from '../domain/daily-use.ts'
import { type FieldError, Problem } from '../domain/errors.ts'
import { type Micros, micros, toDecimal } from '../domain/money.ts'
import { isAllowed, parseRules } from '../domain/recipient-rules.ts'
import type { Allowance } from '../store/connections.ts'
import { invalidFields, type PreparedSend } from './prepare.ts'
import { insufficientScope, invalidToken } from './token-problems.ts'

const DAY_ENDS = 'The day ends at midnight UTC.'
/** More rules than these are counted, not named. */
const MOST_NAMED = 10

/** Why a connection may not send something after what it has used today; undefined when it may. */
export function refusalOf(
  send: PreparedSend,
  counted: { allowance: Allowance; used: DailyUse } | undefined,
): Problem | undefined {
  if (!counted || counted.allowance.endedAt > 0) return invalidToken()
  const { allowance, used } = counted
  if (allowance.canSend !== 1 || !send.command.principal.connection?.canSend)
    return insufficientScope('sms:send')
  return (
    forbiddenRecipients(send, allowance.recipients) ??
    tooManyMessages(send.messages.length, used.messages, allowance.dailyMessages) ??
    tooExpensive(send, used.spent, allowance.dailySpend)
  )
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
