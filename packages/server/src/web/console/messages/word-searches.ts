import { Problem } from '../../../kernel/errors.ts'

/** More of an account than these don't wait. */
const MOST_WAITING = 10
const RETRY_SECONDS = '5'

/** The word searches of accounts: each looks at thousands of messages, so an account has one at a time, in order. */
export class WordSearches {
  /** The next ones of each account that is searching. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Searches when it is the account's turn. Throws a problem when too many wait already. */
  async run<T>(accountId: string, search: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(accountId)
    if (!waiting) this.#waiting.set(accountId, [])
    else if (waiting.length < MOST_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw tooMany()
    try {
      return await search()
    } finally {
      this.#next(accountId)
    }
  }

  #next(accountId: string): void {
    const next = this.#waiting.get(accountId)?.shift()
    if (next) next()
    else this.#waiting.delete(accountId)
  }
}

function tooMany(): Problem {
  return new Problem(
    'rate_limited',
    `Expected at most ${MOST_WAITING} searches for words of the account to wait; try again in ${RETRY_SECONDS} seconds.`,
    { headers: { 'retry-after': RETRY_SECONDS } },
  )
}
