import { NotTried } from './not-tried.ts'

/** Keeps the cost of a run below its limit. */
export interface Purse {
  /**
   * Makes a request that may send up to `messages`, if their price is left. `accepted` says how many of them the
   * server took; a request without an answer counts as all of them.
   */
  spend<T>(messages: number, request: () => Promise<T>, accepted: (answer: T) => number): Promise<T>
  /** How many messages the server took. */
  taken(): number
}

/**
 * The price of a message is known only after the first one (`price`), so the first goes out under any limit above 0.
 * Until the price is known, nothing else does.
 */
export function createPurse(limit: number, price: () => Promise<number | undefined>): Purse {
  let taken = 0
  let turn: Promise<unknown> = Promise.resolve()

  async function check(messages: number): Promise<void> {
    if (limit <= 0) throw new NotTried('--spend 0 lets nothing be sent')
    if (taken === 0 && messages === 1) return
    if (taken === 0) throw new NotTried('no message was accepted yet that would tell the price')
    const each = await price()
    if (each === undefined)
      throw new NotTried('the price of a message is not known: the balance did not change, and none is final')
    // Rounded, because 0.1 + 0.2 is more than 0.3.
    const cost = Number(((taken + messages) * each).toFixed(6))
    if (cost > limit) throw new NotTried(`it would take the cost to ${cost}, and --spend is ${limit}`)
  }

  return {
    taken: () => taken,
    spend(messages, request, accepted) {
      const result = turn.then(async () => {
        await check(messages)
        taken += messages
        const answer = await request()
        taken += accepted(answer) - messages
        return answer
      })
      turn = result.catch(() => undefined)
      return result
    },
  }
}
