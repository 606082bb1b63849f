import { answerOf, codeOf, type History, type Operation } from '../history.ts'
import { type Effect, effectsOf } from './effects.ts'
import { bookingsOf, sendsOf } from './requests.ts'
import type { Violation } from './violation.ts'

/** With more sums than this, only the least and the most are compared. */
const MOST_SUMS = 20_000

/**
 * A balance must be true at some time between its request and its answer. Each effect is surely in force
 * after its last possible time, surely not before its first, and open in between: a balance is right if it is
 * the sum of all sure effects and any of the open ones. A send that was paid for must have been affordable
 * with the most possible balance, and one that was refused for money unaffordable with the least. Once all is
 * quiet no effect is open, so balances are exact.
 *
 * Each read is checked for itself. Two balances that are each possible, but not one after the other, are not
 * found until the effects that they disagree about are sure. Neither is a balance that counts a hold as released
 * before it was taken, if both happen during the read.
 */
export function checkBank(history: History): Violation[] {
  const effects = effectsOf(history)
  const names = namesOf(history)
  return history.wallets.flatMap(({ name, opening }) => {
    const own = effects.get(name) ?? []
    return history.operations
      .filter(({ wallet }) => wallet === name)
      .flatMap((operation) => {
        const window = { began: operation.began, ended: operation.ended, except: names.get(operation.id) }
        const possible = () => standingIn(own, opening, window)
        const what = troubleOf(operation, possible)
        return what === undefined
          ? []
          : [{ rule: 'bank' as const, what: `${name}: ${what}`, operations: [operation.id] }]
      })
  })
}

interface Standing {
  /** The sum of the effects that are surely in force. */
  sure: number
  /** The changes of effects that may be in force. */
  open: readonly number[]
  least: number
  most: number
}

function troubleOf(operation: Operation, possible: () => Standing): string | undefined {
  if (operation.kind === 'balance') {
    const answer = answerOf(operation)
    return answer && balanceTrouble(answer.balance, possible())
  }
  if (operation.kind === 'send') {
    const { price, to } = operation.ask
    const answer = answerOf(operation)
    if (answer?.replayed) return undefined
    return paymentTrouble(price * to.length, answer !== undefined, codeOf(operation), possible)
  }
  if (operation.kind !== 'book') return undefined
  const answer = answerOf(operation)
  if (answer?.repeated || (answer && operation.ask.kind === 'credit')) return undefined
  return paymentTrouble(operation.ask.amount, answer !== undefined, codeOf(operation), possible)
}

function balanceTrouble(balance: number, { sure, open, least, most }: Standing): string | undefined {
  if (balance < 0) return `a balance was ${balance}`
  if (balance >= least && balance <= most && isSum(balance - sure, open)) return undefined
  return `a balance was ${balance}; possible were ${sure} and any of ${JSON.stringify(open)}`
}

function paymentTrouble(
  amount: number,
  paid: boolean,
  code: string | undefined,
  possible: () => Standing,
): string | undefined {
  if (paid) {
    const { most } = possible()
    return amount > most ? `${amount} were paid out of at most ${most}` : undefined
  }
  if (code !== 'insufficient_funds' && code !== 'short') return undefined
  const { least } = possible()
  return amount <= least ? `${amount} were refused, with at least ${least} there` : undefined
}

function standingIn(
  effects: readonly Effect[],
  opening: number,
  { began, ended, except }: { began: number; ended: number; except: string | undefined },
): Standing {
  let sure = opening
  const open: number[] = []
  for (const { of, change, from, to } of effects) {
    if (of === except || from > ended) continue
    if (to < began) sure += change
    else open.push(change)
  }
  const sum = (changes: readonly number[]) => changes.reduce((total, change) => total + change, sure)
  return {
    sure,
    open,
    least: sum(open.filter((change) => change < 0)),
    most: sum(open.filter((change) => change > 0)),
  }
}

/** Whether some of the changes add up to a sum. */
function isSum(sum: number, changes: readonly number[]): boolean {
  let sums = new Set([0])
  for (const change of changes) {
    sums = new Set([...sums, ...[...sums].map((each) => each + change)])
    if (sums.size > MOST_SUMS) return true
  }
  return sums.has(sum)
}

/** The request that an operation belongs to: whether it could be paid does not depend on its own effect. */
function namesOf(history: History): Map<number, string> {
  const requests = [...sendsOf(history), ...bookingsOf(history)]
  return new Map(requests.flatMap(({ name, attempts }) => attempts.map(({ id }) => [id, name] as const)))
}
