import { counted, isAllowed, type Micros, micros, parseRules, toDecimal, ZERO } from '@wigwag/contract'
import { type FieldError, invalidFields, Problem } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { DailyUse } from '../kernel/money/daily-use.ts'
import type { Principal } from '../kernel/principal.ts'
import {
  type Allowance,
  type Counted,
  type PreparedSend,
  type Remaining,
  type SendLimits,
  type SharedLimit,
  usedOf,
} from '../messages/sending/index.ts'
import { insufficientScope, invalidToken } from '../net/server/problems.ts'
import type { Tx } from '../store/database.ts'
import { allowancesOf, lockAllowances, setDay } from './allowances.ts'

const DAY_ENDS = 'The day ends at midnight UTC.'
/** An error names this many rules and counts the others. */
const MOST_NAMED = 10

/** Limits for programs that use the tools with API credentials. Without a daily spend, they only read. */
export interface ProgramLimits {
  dailySpend: Micros | undefined
  dailyMessages: number | undefined
  recipients: readonly string[] | undefined
}

/**
 * Enforces the limits of connections, and of programs that use the tools, when sends are accepted, across all
 * processes.
 */
export class CallerLimits implements SendLimits {
  readonly #programs: ProgramLimits
  readonly refusalOf = refusalOf

  constructor(programs: ProgramLimits) {
    this.#programs = programs
  }

  async lock(tx: Tx, callers: readonly Principal[], now: EpochMs): Promise<Allowance[]> {
    const connectionIds = callers.flatMap(({ connection }) => connection?.id ?? [])
    const clientIds = callers.flatMap(({ connection, clientId }) => (connection ? [] : clientId))
    const connections = await lockAllowances(tx, connectionIds, now)
    const days = await lockDays(tx, clientIds)
    return [...connections, ...days.map((day) => allowanceOf(this.#programs, day))]
  }

  async remaining(
    tx: Tx,
    { connection, clientId }: Principal,
    recipient: string,
    now: EpochMs,
  ): Promise<Remaining | undefined> {
    const [allowance] = connection
      ? await allowancesOf(tx, [connection.id], now)
      : [allowanceOf(this.#programs, (await findDay(tx, clientId)) ?? unused(clientId))]
    return allowance && remainingOf(allowance, recipient, now)
  }

  setDay(tx: Tx, { connection, clientId }: Principal, used: DailyUse): Promise<void> {
    return connection ? setDay(tx, connection.id, used) : setProgramDay(tx, clientId, used)
  }
}

function unused(clientId: string): ProgramDay {
  return { clientId, day: 0, spent: ZERO, messages: 0 }
}

function allowanceOf(
  { dailySpend, dailyMessages, recipients }: ProgramLimits,
  { clientId, day, spent, messages }: ProgramDay,
): Allowance {
  return {
    id: clientId,
    canSend: dailySpend === undefined ? 0 : 1,
    dailySpend: dailySpend ?? ZERO,
    dailyMessages,
    recipients: recipients?.join(' ') ?? null,
    day,
    daySpend: spent,
    dayMessages: messages,
    endedAt: 0,
    shared: [],
  }
}

/** Why a send is refused, given what its caller has used today; undefined when it is allowed. */
function refusalOf(send: PreparedSend, counted: Counted | undefined): Problem | undefined {
  if (!counted || counted.allowance.endedAt > 0) return invalidToken()
  const { allowance, used, shared } = counted
  if (allowance.canSend !== 1 || send.command.principal.connection?.canSend === false)
    return insufficientScope('sms:send')
  return (
    forbiddenRecipients(send, allowance.recipients) ??
    tooMuch(send, { ...allowance, whose: 'This connection', used }) ??
    shared.map((limit) => tooMuch(send, limit)).find((problem) => problem !== undefined)
  )
}

/** Whether a send is more than one limit leaves of today. */
function tooMuch(send: PreparedSend, limit: Omit<SharedLimit, 'id'>): Problem | undefined {
  return tooManyMessages(send.messages.length, limit) ?? tooExpensive(send, limit)
}

function remainingOf(allowance: Allowance, recipient: string, now: EpochMs): Remaining | undefined {
  const { canSend, endedAt, recipients, shared } = allowance
  if (canSend !== 1 || endedAt > 0) return undefined
  const limits = [{ ...allowance, used: usedOf(allowance, now) }, ...shared]
  const spend = limits.flatMap(({ dailySpend, used }) =>
    dailySpend === undefined ? [] : dailySpend - used.spent,
  )
  const left = limits.flatMap(({ dailyMessages, used }) =>
    dailyMessages === undefined ? [] : dailyMessages - used.messages,
  )
  return {
    spend: micros(Math.max(0, Math.min(...spend))),
    messages: left.length === 0 ? undefined : Math.max(0, Math.min(...left)),
    recipient: recipients === null || isAllowed(recipient, new Set(parseRules(recipients))),
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

function tooManyMessages(count: number, limit: Omit<SharedLimit, 'id'>): Problem | undefined {
  const { whose, dailyMessages: daily, used } = limit
  if (daily === undefined || used.messages + count <= daily) return undefined
  const left = Math.max(0, daily - used.messages)
  return limitReached(
    `${whose} may send ${counted(daily, 'message')} a day and has ${left} left; this is ${counted(count, 'message')}`,
  )
}

function tooExpensive({ total, command }: PreparedSend, limit: Omit<SharedLimit, 'id'>): Problem | undefined {
  const { whose, dailySpend: daily, used } = limit
  if (daily === undefined || used.spent + total <= daily) return undefined
  const { currency } = command.principal.wallet
  const left = micros(Math.max(0, daily - used.spent))
  return limitReached(
    `${whose} may spend ${toDecimal(daily)} ${currency} a day and has ${toDecimal(left)} left; this costs ${toDecimal(total)}`,
  )
}

function limitReached(what: string): Problem {
  return new Problem('limit_reached', `${what}. ${DAY_ENDS}`)
}

/** A program's use on the last day that its tools sent messages, by the id of its API client. */
interface ProgramDay extends DailyUse {
  clientId: string
}

/** Locks what programs have used until the transaction ends, in the order of their ids. */
async function lockDays({ run }: Tx, clientIds: readonly string[]): Promise<ProgramDay[]> {
  const days: ProgramDay[] = []
  for (const clientId of [...clientIds].sort())
    days.push(
      ...(await run<ProgramDay>(
        `INSERT INTO connector_days (client_id, day, messages, spent) VALUES ($1, 0, 0, 0)
         ON CONFLICT (client_id) DO UPDATE SET client_id = excluded.client_id
         RETURNING client_id AS "clientId", day, messages, spent`,
        [clientId],
      )),
    )
  return days
}

async function findDay({ run }: Tx, clientId: string): Promise<ProgramDay | undefined> {
  const [day] = await run<ProgramDay>(
    'SELECT client_id AS "clientId", day, messages, spent FROM connector_days WHERE client_id = $1',
    [clientId],
  )
  return day
}

/** Stores what a locked program has used of its daily limits. */
async function setProgramDay(
  { run }: Tx,
  clientId: string,
  { day, spent, messages }: DailyUse,
): Promise<void> {
  await run('UPDATE connector_days SET day = $1, spent = $2, messages = $3 WHERE client_id = $4', [
    day,
    spent,
    messages,
    clientId,
  ])
}
