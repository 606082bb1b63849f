import { CommanderError } from 'commander'
import { OperatorError } from '../accounts/index.ts'
import { ConfigError } from '../config/setting-values.ts'
import { PlanError } from '../delivery/index.ts'
import { Problem } from '../kernel/errors.ts'
import { MoveRefused } from '../operate/moving/index.ts'
import { RowLocked, StoreUnavailable } from '../store/database.ts'
import { WrongSchema } from '../store/schema/steps.ts'
import { WrongSecret } from '../store/secrets/sealing.ts'
import { asJson, Failed } from './terminal.ts'

/** A command failed, and the log says why. */
export class FailedInLog extends Error {
  override readonly name = 'FailedInLog'
  readonly exitCode: Failure['exitCode']

  constructor(exitCode: Failure['exitCode']) {
    super('the log says why')
    this.exitCode = exitCode
  }
}

export interface Failure {
  message: string
  exitCode: 1 | 2 | 3
  /** Fields for programs, beside the message. */
  details?: Readonly<Record<string, unknown>>
}

/** Describes an error to the user. An unexpected one is shown with its stack. */
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

interface Place {
  host: string
  port: number
}

/** Another way out than a different port, by setting. */
const OTHERWISE: Readonly<Record<string, string>> = {
  WIGWAG_OPERATOR_PORT:
    ', or leave the desk to another gateway: an empty WIGWAG_OPERATOR_PORT= switches it off here',
}

/** Says what is wrong with a place to listen, and which setting names another. */
export function listenFailure(error: unknown, { host, port }: Place, setting: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const place = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new Failed(
      `something else listens on ${place}; choose another port with ${setting}${OTHERWISE[setting] ?? ''}`,
    )
  if (code === 'EACCES')
    return new Failed(`not permitted to listen on ${place}; choose a port above 1023 with ${setting}`)
  if (code === 'EADDRNOTAVAIL') {
    const ofHost = setting.replace('port', 'host').replace('PORT', 'HOST')
    return new Failed(`this machine has no address ${host}; choose another with ${ofHost}`)
  }
  return error
}
