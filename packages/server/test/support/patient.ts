/**
 * A PostgreSQL that shares two processors with as many tests as fit may leave a statement without an answer for longer
 * than one that serves customers, and a test may rest in a transaction, or keep a lock, for as long as it likes. Tests of what a gateway
 * then does give it less time. There the event loop is always saturated, too, and each sign-in would hold up the next one.
 */
export const PATIENT = {
  silentAfterMs: 20_000,
  sessionLimits: { lockMs: 0, restMs: 0 },
  busy: () => false,
}
