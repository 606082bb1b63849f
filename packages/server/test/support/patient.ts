/** Longer than the runner lets any test take. */
const FOR_EVER_MS = 3_600_000

/**
 * A PostgreSQL that shares a processor with tests may leave a statement without an answer for longer than one that serves
 * customers, and a test may rest in a transaction. What a gateway does about that is left out of tests of other things.
 */
export const PATIENT = {
  answerWithinMs: FOR_EVER_MS,
  silentAfterMs: FOR_EVER_MS,
  sessionLimits: { lockMs: 0, restMs: 0 },
}
