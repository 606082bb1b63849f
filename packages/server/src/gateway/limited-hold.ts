import { type DailyUse, usedToday } from '../domain/daily-use.ts'
import type { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import { micros } from '../domain/money.ts'
import { type Allowance, lockAllowances, setDay } from '../store/connections.ts'
import type { Connection } from '../store/database.ts'
import { refusalOf } from './connection-limits.ts'
import type { PreparedSend } from './prepare.ts'

/** Whether a send is an assistant's, for which a person has set limits. */
export function isLimited({ command }: PreparedSend): boolean {
  return command.principal.connection !== undefined
}

/** A locked connection, with what it has used when it was locked and by now. */
interface Counter {
  allowance: Allowance
  before: DailyUse
  used: DailyUse
}

/**
 * Holds what sends cost, those of connections within their limits, and says which were refused. The connections are
 * locked before any wallet, so that in whatever process one send after the other is counted. A send that is refused,
 * by whichever rule, counts nothing.
 */
export async function holdWithinLimits<Send extends PreparedSend>(
  connection: Connection,
  sends: readonly Send[],
  now: EpochMs,
  hold: (sends: readonly Send[]) => Promise<Map<Send, Problem>>,
): Promise<Map<Send, Problem>> {
  const counters = await lockCounters(connection, sends, now)
  const counterOf = ({ command }: Send) => counters.get(command.principal.connection?.id ?? '')

  async function settle(asking: readonly Send[]): Promise<Map<Send, Problem>> {
    const beyond = new Map<Send, Problem>()
    for (const send of asking) {
      if (!isLimited(send)) continue
      const counter = counterOf(send)
      const problem = refusalOf(send, counter)
      if (problem) beyond.set(send, problem)
      else count(send, counter, 1)
    }
    const unpaid = await hold(asking.filter((send) => !beyond.has(send)))
    for (const send of unpaid.keys()) count(send, counterOf(send), -1)
    // What a send without the money for it would have used is there for those that were beyond the limits because of it.
    const again = beyond.size > 0 && [...unpaid.keys()].some(isLimited)
    return new Map([...unpaid, ...(again ? await settle([...beyond.keys()]) : beyond)])
  }

  const refused = await settle(sends)
  for (const { allowance, before, used } of counters.values()) {
    if (used.messages > before.messages) await setDay(connection, allowance.id, used)
  }
  return refused
}

async function lockCounters(
  connection: Connection,
  sends: readonly PreparedSend[],
  now: EpochMs,
): Promise<Map<string, Counter>> {
  const ids = new Set(sends.flatMap(({ command }) => command.principal.connection?.id ?? []))
  const allowances = await lockAllowances(connection, [...ids])
  return new Map(
    allowances.map((allowance) => {
      const { id, day, daySpend, dayMessages } = allowance
      const before = usedToday({ day, spent: daySpend, messages: dayMessages }, now)
      return [id, { allowance, before, used: before }]
    }),
  )
}

function count({ total, messages }: PreparedSend, counter: Counter | undefined, times: 1 | -1): void {
  if (!counter) return
  const { day, spent, messages: sent } = counter.used
  counter.used = { day, spent: micros(spent + times * total), messages: sent + times * messages.length }
}
