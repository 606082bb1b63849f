import { CommanderError } from 'commander'
import { OperatorError } from '../accounts/index.ts'
import { PlanError } from '../delivery/index.ts'
import { Problem } from '../domain/errors.ts'
import { MoveRefused } from '../moving/index.ts'
import { RowLocked, StoreUnavailable } from '../platform/database/database.ts'
import { WrongSchema } from '../platform/database/wrong-schema.ts'
import { WrongSecret } from '../platform/secrets/mark.ts'
import { ConfigError } from '../setting-values.ts'
import { asJson, Failed } from './terminal.ts'

export interface Failure {
  message: string
  exitCode: 1 | 2 | 3
  /** What a program can use of it, besides the message. */
  details?: Readonly<Record<string, unknown>>
}

/** What an error means to the user. An unexpected error is shown with its stack. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof Failed) return error
  if (error instanceof CommanderError) return { message: error.message.replace(/^error: /, ''), exitCode: 2 }
  if (error instanceof ConfigError || error instanceof PlanError || error instanceof WrongSecret)
    return { message: error.message, exitCode: 2 }
  if (error instanceof StoreUnavailable) return { message: `${error.message}${causeOf(error)}`, exitCode: 1 }
  if (error instanceof OperatorError || error instanceof Problem || error instanceof RowLocked) {
    return { message: error.message, exitCode: 1 }
  }
  if (error instanceof WrongSchema || error instanceof MoveRefused)
    return { message: error.message, exitCode: 1 }
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 }
  return { message: 'code' in error ? error.message : (error.stack ?? error.message), exitCode: 1 }
}

/** A failure as one line of JSON. */
export function failureLine({ message, exitCode, details }: Failure): string {
  return asJson({ error: { message, exitCode, ...details } })
}

/** The cause's message, else its code: a refused connection is an AggregateError with an empty message. */
function causeOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return ''
  const code = 'code' in cause ? String(cause.code) : ''
  return cause.message || code ? ` (${cause.message || code})` : ''
}
