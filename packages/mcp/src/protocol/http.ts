import {
  classifyInboundRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  ProtocolErrorCode,
  type Server,
  type Transport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import { atRevision } from './at-revision.ts'
import { idOf, protocolError } from './messages.ts'
import { STATELESS, supportedProtocolVersions, WHEN_UNSAID } from './revisions.ts'
import { headerMismatch } from './standard-headers.ts'

/** Which revision the library has found a message to be of. */
type Classification = NonNullable<MessageExtraInfo['classification']>

/** A message that came over HTTP. */
export type HttpMessage =
  | { kind: 'request'; request: JSONRPCRequest; revision: string; stateless?: Classification }
  /** A notification, or an answer to something that was never asked. */
  | { kind: 'unanswered' }
  | { kind: 'refused'; status: number; error: ReturnType<typeof protocolError> }

/** Reads a message, and finds out which revision it is of: one of 2026-07-28 says so, in its headers and in itself. */
export function readHttpMessage(header: (name: string) => string | null, body: unknown): HttpMessage {
  const version = header('mcp-protocol-version')
  const method = header('mcp-method')
  const found = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== null && { protocolVersionHeader: version }),
    ...(method !== null && { mcpMethodHeader: method }),
  })
  const refuse = (code: number, message: string, data?: unknown, status = 400): HttpMessage => {
    return { kind: 'refused', status, error: protocolError(code, message, { id: idOf(body), data }) }
  }
  if (found.kind === 'reject') return refuse(found.code, found.message, found.data, found.httpStatus)
  if (found.kind === 'legacy') {
    if (version !== null && !supportedProtocolVersions.includes(version)) {
      const expected = supportedProtocolVersions.join(', ')
      return refuse(
        ProtocolErrorCode.InvalidRequest,
        `Expected MCP-Protocol-Version ${expected}; got ${shown(version)}.`,
      )
    }
    if (!isJSONRPCRequest(body)) return { kind: 'unanswered' }
    return { kind: 'request', request: body, revision: version ?? WHEN_UNSAID }
  }
  const { classification, message, messageKind } = found
  const { revision = 'unknown' } = classification
  if (revision !== STATELESS) {
    const error = new UnsupportedProtocolVersionError({ supported: [STATELESS], requested: revision })
    return refuse(error.code, error.message, error.data)
  }
  if (messageKind === 'notification') return { kind: 'unanswered' }
  const mismatch = headerMismatch(header, message)
  if (mismatch !== undefined) return refuse(HEADER_MISMATCH, mismatch)
  return { kind: 'request', request: message, revision, stateless: classification }
}
/** Of 2026-07-28. The library has the code, and does not export it. */
const HEADER_MISMATCH = -32_020

export interface HttpAnswer {
  status: number
  message: JSONRPCResponse
}

/**
 * Lets a new server answer each request, so that callers can't be mixed up. The server is not closed: it holds no
 * resources, and closing it would cost a tenth of the call.
 */
export async function answerOverHttp(
  server: Server,
  { request, revision, stateless }: Extract<HttpMessage, { kind: 'request' }>,
): Promise<HttpAnswer> {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>()
  const transport = stateless
    ? // The library reads the revision from a transport of this class, whose own `send` makes a `Response`.
      new PerRequestHTTPServerTransport({ classification: stateless })
    : { start: async () => {}, close: async () => {}, send: async () => {} }
  const exchange: Transport = Object.assign(transport, {
    async send(said: JSONRPCMessage) {
      const message = atRevision(revision, said)
      if (isAnswer(message)) resolve({ status: stateless ? statusOf(message) : 200, message })
    },
  })
  await server.connect(exchange)
  exchange.onmessage?.(request, stateless && { classification: stateless })
  return promise
}

/** Errors of a tool are results, and 200. These two are of the protocol, which gives them a status at 2026-07-28. */
function statusOf(message: JSONRPCResponse): number {
  if (!('error' in message)) return 200
  if (message.error.code === ProtocolErrorCode.MethodNotFound) return 404
  return message.error.code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200
}

function isAnswer(message: JSONRPCMessage): message is JSONRPCResponse {
  return 'id' in message && !('method' in message)
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
