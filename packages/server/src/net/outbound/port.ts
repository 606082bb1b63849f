import { BlockedAddress, LookupFailed } from './checked-lookup.ts'

/** A request to an address that a client chose. Treat the address as hostile. */
export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** Covers look-up, connection, request and reply. Begins when a socket is free for them. */
  timeoutMs: number
  /** The rest of the reply is dropped. */
  maxReplyBytes: number
  /** Never sent again, even when the receiver had closed the kept socket: the failure says `during`. */
  once?: boolean
}

export type OutboundFailure =
  | 'invalid_url'
  | 'blocked_address'
  | 'dns_failed'
  | 'connect_failed'
  | 'tls_failed'
  | 'timeout'
  | 'connection_lost'

export type OutboundResult =
  | {
      kind: 'reply'
      status: number
      /** Names are in lower case. */
      headers: Readonly<Record<string, string>>
      body: Uint8Array
      truncated: boolean
      latencyMs: number
    }
  | {
      kind: 'failure'
      /** `before`: nothing was sent. `during`: the receiver may have seen the request. */
      stage: 'before' | 'during'
      failure: OutboundFailure
      detail: string
      latencyMs: number
    }

/** Sends one request. Never rejects: a failure is a result, because the next step depends on its stage. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundResult>

/**
 * Says why an {@link Outbound} would refuse a URL before any look-up or request, such as "the host is a private
 * address"; undefined when it would try.
 */
export type TargetRefusal = (url: string) => string | undefined

type WithoutLatency<T> = T extends unknown ? Omit<T, 'latencyMs'> : never

/** A result without its latency. */
export type Outcome = WithoutLatency<OutboundResult>
export type Failed = Extract<Outcome, { kind: 'failure' }>

/** A failure before anything was sent. */
export function failedBefore(failure: OutboundFailure, detail: string): Failed {
  return { kind: 'failure', stage: 'before', failure, detail }
}

/** A failure after which the receiver may have seen the request. */
export function failedDuring(failure: OutboundFailure, detail: string): Failed {
  return { kind: 'failure', stage: 'during', failure, detail }
}

export interface ExchangeProgress {
  /** A byte of the request may have left. */
  sent: boolean
  secure: boolean
  connected: boolean
}

/** Turns an error into a failure, depending on how far the exchange had got. */
export function classifyError(error: Error, progress: ExchangeProgress): Failed {
  if (error instanceof BlockedAddress) return failedBefore('blocked_address', error.message)
  if (error instanceof LookupFailed) return failedBefore('dns_failed', error.message)
  if (progress.sent) return failedDuring('connection_lost', `the connection was lost${codeOf(error)}`)
  // The client refused a part of the request, such as a line break in a header.
  if ('code' in error && error.code === 'UND_ERR_INVALID_ARG')
    return failedBefore('invalid_url', `the request cannot be built: ${error.message}`)
  if (progress.secure && progress.connected) return failedBefore('tls_failed', describe(error))
  return failedBefore('connect_failed', `no connection${codeOf(error)}`)
}

function describe(error: Error): string {
  return `TLS: ${error.message.split('\n', 1)[0] ?? ''}`.slice(0, 200)
}

/** The codes of the client that have a name which more people know. */
const KNOWN_AS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
}

/** Only the code: the message of a connection error contains the address that the host resolved to. */
function codeOf(error: Error): string {
  if (!('code' in error)) return ''
  const code = String(error.code)
  return ` (${KNOWN_AS[code] ?? code})`
}
