import { ConfigError } from '../config.ts'
import { Problem } from '../domain/errors.ts'
import { OperatorError } from '../gateway/operator-error.ts'
import { RowLocked, StoreUnavailable } from '../store/database.ts'
import { WrongSecret } from '../store/sealing.ts'
import { Failed } from './terminal.ts'

/** What to tell a person of what went wrong. A fault of ours comes with where it happened. */
export function describeFailure(error: unknown): { message: string; exitCode: 1 | 2 | 3 } {
  if (error instanceof Failed) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message: error.message, exitCode: 2 }
  if (error instanceof StoreUnavailable) return { message: `${error.message}${causeOf(error)}`, exitCode: 1 }
  if (error instanceof OperatorError || error instanceof Problem || error instanceof RowLocked) {
    return { message: error.message, exitCode: 1 }
  }
  if (error instanceof WrongSecret) return { message: error.message, exitCode: 1 }
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 }
  return { message: 'code' in error ? error.message : (error.stack ?? error.message), exitCode: 1 }
}

/** A refused connection is several errors in one, and its own text is empty. */
function causeOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return ''
  const code = 'code' in cause ? String(cause.code) : ''
  return cause.message || code ? ` (${cause.message || code})` : ''
}
