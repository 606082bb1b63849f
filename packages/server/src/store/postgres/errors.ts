import { CommitUncertain, RowLocked, RuleBroken, StoreFull, StoreUnavailable } from '../database.ts'
import { withoutValues } from '../engine.ts'
import { SHARED } from './session.ts'

/** A code of PostgreSQL, or of the operating system, which begins with E. Errors of our own have others. */
const OF_THE_STORE = /^([0-9A-Z]{5}$|E)/
/** Deadlock and serialization conflict: the same work succeeds when it is repeated. */
const AGAIN = new Set(['40P01', '40001'])
const INTEGRITY = /^23/
const LOCK_TIMEOUT = '55P03'
const DISK_FULL = '53100'
/** A server that takes no writes: a standby, or one that was made read-only. */
const READ_ONLY = '25006'
/** A prepared statement is gone, or is there although it was not prepared: the session is shared. */
const NOT_OUR_SESSION = new Set(['26000', '42P05'])
/** The schema has changed the result of a prepared statement. */
const PREPARED_TOO_EARLY = '0A000'
const NOT_ALLOWED = '42501'
/**
 * Errors caused by statements or their values, so that the same work fails each time: cardinality, data, a
 * transaction that failed before, syntax and names, views, limits, triggers, and rows that cannot be read.
 */
const OF_THE_WORK = /^(2[12]|25P02|42|44|54|P0|XX)/

/** The code that PostgreSQL or the system gave; empty when there is none. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  return 'cause' in error ? codeOf(error.cause) : ''
}

/** Whether the transaction may succeed when it is repeated as it is. */
export function mayBeRepeated(error: unknown): boolean {
  return AGAIN.has(codeOf(error))
}

/** Whether the connection is gone. The driver gives no code when a connection ends, so an error without one counts. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error)
  return code === '' || /^(08|57P|E)/.test(code)
}

/**
 * Whether a new connection may do better: it may lead to a server that takes writes, where an address was moved to one, and
 * nothing is prepared on it yet.
 */
export function isSpent(error: unknown): boolean {
  const code = codeOf(error)
  return isBroken(error) || code === READ_ONLY || code === PREPARED_TOO_EARLY || NOT_OUR_SESSION.has(code)
}

/**
 * An error of the driver as one of ours. An error that the work did not cause counts as unavailable: a job that was set
 * aside for it would wait up to an hour after the cause is gone.
 */
export function translated(error: unknown): unknown {
  withoutValues(error)
  if (error instanceof CommitUncertain) return error
  const code = codeOf(error)
  const because = { cause: error }
  if (INTEGRITY.test(code)) return new RuleBroken(String(error), because)
  if (code === LOCK_TIMEOUT) return new RowLocked('a row stayed locked', because)
  if (code === DISK_FULL) return new StoreFull('the disk of PostgreSQL is full', because)
  if (NOT_OUR_SESSION.has(code)) return new StoreUnavailable(SHARED, because)
  const isOfTheWork = OF_THE_WORK.test(code) && code !== NOT_ALLOWED
  if (isOfTheWork || !OF_THE_STORE.test(code)) return error
  return new StoreUnavailable(`PostgreSQL cannot take the work: ${code}`, because)
}
