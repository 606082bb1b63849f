import { type Micros, micros } from '@wigwag/contract'
import { type DailyUse, usedToday } from '../domain/daily-use.ts'
import type { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { PreparedSend } from './prepare.ts'

/** Limits beyond the money in a wallet: those that people set on an assistant's grant. */
export interface SendLimits {
  /** Locks grants until the transaction ends, in the order of their ids. Returns what each may send. */
  lock(tx: Tx, ids: readonly string[]): Promise<Allowance[]>
  /** Why a send is refused, given what its grant has used today; undefined when it is allowed. */
  refusalOf(send: PreparedSend, counted: Counted | undefined): Problem | undefined
  /** What a grant's limits leave for a message to a number; undefined when it has ended. */
  remaining(tx: Tx, id: string, to: string, now: EpochMs): Promise<Remaining | undefined>
  /** Stores what a locked grant has used of its daily limits. */
  setDay(tx: Tx, id: string, used: DailyUse): Promise<void>
}

/** What a grant may send, and what it sent on the last day that it was used. */
export interface Allowance {
  id: string
  canSend: 0 | 1
  dailySpend: Micros
  dailyMessages: number
  recipients: string | null
  day: number
  daySpend: Micros
  dayMessages: number
  endedAt: number
}

/** What the limits of a grant leave of today. */
export interface Remaining {
  spend: Micros
  messages: number
  /** Whether it may send to the number. */
  recipient: boolean
}

/** A grant's allowance, with what it has used today. */
export interface Counted {
  allowance: Allowance
  used: DailyUse
}

/** Whether a send is an assistant's, and so has limits that a person set. */
export function isLimited({ command }: PreparedSend): boolean {
  return command.principal.grant !== undefined
}

interface Counter extends Counted {
  /** What it had used when it was locked. */
  before: DailyUse
}

/**
 * Holds what sends cost, those of assistants only within their limits. Returns the refused ones. Grants are locked
 * before wallets, so that all processes count their sends one after the other. A refused send counts nothing.
 */
export async function holdWithinLimits<Send extends PreparedSend>(
  tx: Tx,
  sends: readonly Send[],
  { limits, now }: { limits: SendLimits; now: EpochMs },
  hold: (sends: readonly Send[]) => Promise<Map<Send, Problem>>,
): Promise<Map<Send, Problem>> {
  const counters = await lockCounters(tx, sends, { limits, now })
  const counterOf = ({ command }: Send) => counters.get(command.principal.grant?.id ?? '')

  async function settle(asking: readonly Send[]): Promise<Map<Send, Problem>> {
    const beyond = new Map<Send, Problem>()
    for (const send of asking) {
      if (!isLimited(send)) continue
      const counter = counterOf(send)
      const problem = limits.refusalOf(send, counter)
      if (problem) beyond.set(send, problem)
      else count(send, counter, 1)
    }
    const unpaid = await hold(asking.filter((send) => !beyond.has(send)))
    for (const send of unpaid.keys()) count(send, counterOf(send), -1)
    // A send that the wallet can't pay for uses up no limit, so those refused because of it are tried again.
    const again = beyond.size > 0 && [...unpaid.keys()].some(isLimited)
    return new Map([...unpaid, ...(again ? await settle([...beyond.keys()]) : beyond)])
  }

  const refused = await settle(sends)
  for (const { allowance, before, used } of counters.values()) {
    if (used.messages > before.messages) await limits.setDay(tx, allowance.id, used)
  }
  return refused
}

async function lockCounters(
  tx: Tx,
  sends: readonly PreparedSend[],
  { limits, now }: { limits: SendLimits; now: EpochMs },
): Promise<Map<string, Counter>> {
  const ids = new Set(sends.flatMap(({ command }) => command.principal.grant?.id ?? []))
  const allowances = await limits.lock(tx, [...ids])
  return new Map(
    allowances.map((allowance) => {
      const before = usedOf(allowance, now)
      return [allowance.id, { allowance, before, used: before }]
    }),
  )
}

/** What a grant has used today. */
export function usedOf({ day, daySpend, dayMessages }: Allowance, now: EpochMs): DailyUse {
  return usedToday({ day, spent: daySpend, messages: dayMessages }, now)
}

function count({ total, messages }: PreparedSend, counter: Counter | undefined, times: 1 | -1): void {
  if (!counter) return
  const { day, spent, messages: sent } = counter.used
  counter.used = { day, spent: micros(spent + times * total), messages: sent + times * messages.length }
}
