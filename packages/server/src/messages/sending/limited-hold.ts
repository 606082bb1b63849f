import { type Micros, microsOfSum } from '@wigwag/contract'
import type { Problem } from '../../kernel/errors.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { type DailyUse, usedToday } from '../../kernel/money/daily-use.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Tx } from '../../store/database.ts'
import type { PreparedSend } from './prepare.ts'

/** Limits beyond the money in a wallet: of assistants' connections, and of programs that use the tools. */
export interface SendLimits {
  /** Locks what callers have used until the transaction ends, always in the same order. Returns what each may send. */
  lock(tx: Tx, callers: readonly Principal[], now: EpochMs): Promise<Allowance[]>
  /** Why a send is refused, given what its caller has used today; undefined when it is allowed. */
  refusalOf(send: PreparedSend, counted: Counted | undefined): Problem | undefined
  /** A caller's remaining limits, for a message to a number; undefined when it may not send. */
  remaining(tx: Tx, caller: Principal, recipient: string, now: EpochMs): Promise<Remaining | undefined>
  /** Stores what a locked caller has used of its daily limits. */
  setDay(tx: Tx, caller: Principal, used: DailyUse): Promise<void>
}

/** A caller's limits, and its use on the last day that it sent. */
export interface Allowance {
  /** As {@link limitedAs} names the caller. */
  id: string
  canSend: 0 | 1
  dailySpend: Micros
  /** Undefined for no limit. */
  dailyMessages: number | undefined
  recipients: string | null
  day: number
  daySpend: Micros
  dayMessages: number
  endedAt: number
  /** The limits that it shares with others. */
  shared: readonly SharedLimit[]
}

/** A limit that several callers have together, and what they have used of it today. */
export interface SharedLimit {
  /** The same for all of these callers. */
  id: string
  /** Whose assistants they are, as a sentence begins with it. */
  whose: string
  /** Undefined for no limit. */
  dailySpend: Micros | undefined
  dailyMessages: number | undefined
  used: DailyUse
}

/** A caller's remaining limits today. */
export interface Remaining {
  spend: Micros
  /** Undefined for no limit. */
  messages: number | undefined
  /** Whether it may send to the number. */
  recipient: boolean
}

/** A caller's allowance, with what it has used today, by itself and with others. */
export interface Counted {
  allowance: Allowance
  used: DailyUse
  shared: readonly SharedLimit[]
}

/** Names the caller whose limits a send has: its connection, or the client of a program that uses the tools. */
function limitedAs({ connection, forTools, clientId }: Principal): string | undefined {
  return connection?.id ?? (forTools && clientId)
}

export function isLimited({ command }: PreparedSend): boolean {
  return limitedAs(command.principal) !== undefined
}

interface Counter extends Counted {
  caller: Principal
  /** Its use when it was locked. */
  before: DailyUse
}

/**
 * Holds the costs of sends, limited sends only within their limits. Returns the refused ones. Callers' use is
 * locked before wallets, so that all processes count their sends one after the other. A refused send counts
 * nothing.
 */
export async function holdWithinLimits<Send extends PreparedSend>(
  tx: Tx,
  sends: readonly Send[],
  { limits, now }: { limits: SendLimits; now: EpochMs },
  hold: (sends: readonly Send[]) => Promise<Map<Send, Problem>>,
): Promise<Map<Send, Problem>> {
  const counters = await lockCounters(tx, sends, { limits, now })
  const counterOf = ({ command }: Send) => counters.get(limitedAs(command.principal) ?? '')

  async function holdMoney(asking: readonly Send[]): Promise<Map<Send, Problem>> {
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
    return new Map([...unpaid, ...(again ? await holdMoney([...beyond.keys()]) : beyond)])
  }

  const refused = await holdMoney(sends)
  for (const { caller, before, used } of counters.values()) {
    if (used.messages > before.messages) await limits.setDay(tx, caller, used)
  }
  return refused
}

async function lockCounters(
  tx: Tx,
  sends: readonly PreparedSend[],
  { limits, now }: { limits: SendLimits; now: EpochMs },
): Promise<Map<string, Counter>> {
  const callers = new Map<string, Principal>()
  for (const { command } of sends) {
    const id = limitedAs(command.principal)
    if (id !== undefined) callers.set(id, command.principal)
  }
  const counters = new Map<string, Counter>()
  const sharing = new Map<string, SharedLimit>()
  for (const allowance of await limits.lock(tx, [...callers.values()], now)) {
    const caller = callers.get(allowance.id)
    const before = usedOf(allowance, now)
    // One counter for all who share a limit, so that a batch counts them together.
    const shared = allowance.shared.map((limit) => sharing.get(limit.id) ?? { ...limit })
    for (const limit of shared) sharing.set(limit.id, limit)
    if (caller) counters.set(allowance.id, { caller, allowance, before, used: before, shared })
  }
  return counters
}

export function usedOf({ day, daySpend, dayMessages }: Allowance, now: EpochMs): DailyUse {
  return usedToday({ day, spent: daySpend, messages: dayMessages }, now)
}

function count({ total, messages }: PreparedSend, counter: Counter | undefined, times: 1 | -1): void {
  if (!counter) return
  for (const counted of [counter, ...counter.shared]) {
    const { day, spent, messages: sent } = counted.used
    counted.used = {
      day,
      spent: microsOfSum(spent + times * total),
      messages: sent + times * messages.length,
    }
  }
}
