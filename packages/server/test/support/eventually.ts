import { inspect } from 'node:util'

/** Much longer than anything takes that happens by itself, on a busy machine too. */
const PATIENCE_MS = 300_000
const LONGEST_PAUSE_MS = 50

/**
 * Looks until there is something to see, and resolves with it. An expectation that fails is as good as nothing; any other
 * error ends the waiting. Gives up loudly, with what it saw last.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Seen<T>> {
  const end = performance.now() + withinMs
  for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    let last: string
    try {
      const seen = await look()
      if (isSomething(seen)) return seen
      last = inspect(seen)
    } catch (error) {
      if (!isExpectation(error)) throw error
      last = error.message
    }
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}; seen last: ${last}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

type Seen<T> = Exclude<T, undefined | null | false>

function isSomething<T>(seen: T): seen is Seen<T> {
  return seen !== undefined && seen !== null && seen !== false
}

function isExpectation(error: unknown): error is Error {
  return error instanceof Error && error.name === 'AssertionError'
}
