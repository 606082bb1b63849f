/**
 * A name that can be used once: an idempotency key, or the reference of a booking. The first use that succeeds wins,
 * the same use again gets its answer, and another use is told of the conflict.
 */
export interface Use {
  id: number
  began: number
  ended: number
  /** Uses of one body are the same use. */
  body: string
  /**
   * `made`: it took effect. `repeated`: an earlier one had. `conflict`: another body had the name. `busy`: one is
   * under way. `refused`: no effect, for other reasons. `unknown`: it may have taken effect, or will.
   */
  result: 'made' | 'repeated' | 'conflict' | 'busy' | 'refused' | 'unknown'
  /** The answer to a use that succeeded. */
  answer?: string
}

export interface Trouble {
  what: string
  operations: readonly number[]
}

/**
 * Linearizability of one name, in one pass. A name is a register that is written once, so it is enough to look for
 * two winners, for an answer that no winner explains, and for an answer from before the win that began after it. It
 * does not try all orders: a set of answers that is wrong only as a whole, such as a conflict and a refusal that each
 * need a different unknown use to have won first, would not be found.
 */
export function checkUses(uses: readonly Use[]): Trouble[] {
  const troubles: Trouble[] = []
  const blame = (what: string, ...involved: readonly Use[]) =>
    troubles.push({ what, operations: involved.map(({ id }) => id) })
  const told = uses.filter(({ result }) => result === 'made' || result === 'repeated')
  const [first] = told
  for (const use of told) {
    if (!first) break
    if (use.body !== first.body) blame('two bodies won one name', first, use)
    else if (use.answer !== first.answer) blame('a repeat was told something else', first, use)
  }
  const made = uses.filter(({ result }) => result === 'made')
  const [once, ...again] = made
  for (const use of again) if (once) blame('it was done anew under the same name', once, use)

  const mayHaveWon = uses.filter(({ result }) => result === 'made' || result === 'unknown')
  const wonAt = Math.min(...told.map(({ ended }) => ended))
  for (const use of uses) {
    const others = mayHaveWon.filter((other) => other.id !== use.id && other.began <= use.ended)
    if (use.result === 'repeated' && !others.some(({ body }) => body === use.body))
      blame('it was told of an earlier one that was not there', use)
    if (use.result === 'conflict') {
      if (use.body === first?.body) blame('the winner was told of a conflict', first, use)
      if (!others.some(({ body }) => body !== use.body)) blame('it was told of a conflict with nothing', use)
    }
    if (use.result === 'busy' && !uses.some((other) => isUnderWay(other, use)))
      blame('it was told of one under way, and none was', use)
    if (use.result === 'refused' && use.began > wonAt && first)
      blame('it was refused after one had won', first, use)
  }
  return troubles
}

function isUnderWay(other: Use, during: Use): boolean {
  if (other.id === during.id || other.began > during.ended) return false
  return other.result === 'unknown' || other.ended >= during.began
}

/** The effect under a name that makes the answers true, and its time. */
export interface Win {
  body: string
  /** It happened between these times, as far as the answers tell. */
  from: number
  to: number
}

/** The times between which a body took effect, for a body that is known to have. */
export function winOf(uses: readonly Use[], body: string, latest: number): Win {
  const same = uses.filter((use) => use.body === body)
  const made = same.find(({ result }) => result === 'made')
  const mayHave = made ? [made] : same.filter(({ result }) => result === 'unknown')
  const told = same.filter(({ result }) => result === 'made' || result === 'repeated')
  return {
    body,
    from: Math.min(...mayHave.map(({ began }) => began), latest),
    to: Math.min(...told.map(({ ended }) => ended), latest),
  }
}
