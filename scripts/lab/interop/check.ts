/**
 * Checks a promise, and prints whether it holds. Never rejects, so later promises are checked after a
 * failure.
 */
export type Check = (promise: string, hold: () => Promise<void>) => Promise<void>

/** Counts the promises that do not hold. */
export function createCheck(): { check: Check; failed(): number } {
  let failed = 0
  return {
    failed: () => failed,
    async check(promise, hold) {
      try {
        await hold()
        console.log(`  ok      ${promise}`)
      } catch (error) {
        failed++
        console.log(`  FAILED  ${promise}\n          ${error instanceof Error ? error.message : error}`)
      }
    },
  }
}
