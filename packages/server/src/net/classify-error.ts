import { BlockedAddress, LookupFailed } from './checked-lookup.ts'
import { type Failed, failedBefore, failedDuring } from './outcome.ts'

export interface ExchangeProgress {
  /** A byte of the request may have left. */
  sent: boolean
  secure: boolean
  connected: boolean
}

/** What an error means for the callback depends on how far the exchange had come. */
export function classifyError(error: Error, progress: ExchangeProgress): Failed {
  if (error instanceof BlockedAddress) return failedBefore('blocked_address', error.message)
  if (error instanceof LookupFailed) return failedBefore('dns_failed', error.message)
  if (progress.sent) return failedDuring('connection_lost', `the connection was lost${codeOf(error)}`)
  if (progress.secure && progress.connected) return failedBefore('tls_failed', describe(error))
  return failedBefore('connect_failed', `no connection${codeOf(error)}`)
}

function describe(error: Error): string {
  return `TLS: ${error.message.split('\n', 1)[0] ?? ''}`.slice(0, 200)
}

/** The code alone: the message of a connection error names the address that a host resolves to. */
function codeOf(error: Error): string {
  return 'code' in error ? ` (${String(error.code)})` : ''
}
