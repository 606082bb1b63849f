import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import type { Sockets } from './kept-sockets.ts'
import { classifyError, failedBefore, failedDuring, type OutboundRequest, type Outcome } from './port.ts'
import type { Target } from './target.ts'

export interface ExchangeOptions {
  target: Target
  input: OutboundRequest
  sockets: Sockets
  guard: AddressGuard
  timeoutMs: number
}

export interface Exchanged {
  outcome: Outcome
  /** The receiver had closed the kept socket before any reply. */
  stale: boolean
}

const MAX_REPLY_HEADER_BYTES = 16 * 1024

/**
 * One request on one socket, new or kept. Writes nothing before the connected address has been checked. Settles once
 * the socket is free again or closed.
 */
export function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { target, input, sockets, guard } = options

  return new Promise((settle) => {
    let outcome: Outcome | undefined
    let sent = false
    let reused = false
    let replied = false
    let stale = false

    const call = openCall(options)
    const timer = setTimeout(expire, options.timeoutMs)

    call.once('socket', (socket) => {
      reused = sockets.progressOf(socket) === 'ready'
      if (reused) send(socket)
      else socket.once(target.secure ? 'secureConnect' : 'connect', () => send(socket))
    })
    call.once('response', (reply) => {
      replied = true
      readReply(reply, input.maxReplyBytes, finish)
    })
    call.on('error', (error) => lost(error))
    call.once('close', () => {
      lost(new Error('the connection was closed without a reply'))
      if (outcome !== undefined) settle({ outcome, stale })
    })

    function send(socket: Socket): void {
      if (outcome !== undefined || socket.destroyed) return
      const address = socket.remoteAddress
      const refusal = address === undefined ? undefined : guard.check(address)
      if (address === undefined) {
        socket.destroy()
      } else if (refusal !== undefined) {
        finish(failedBefore('blocked_address', `the connected address is ${refusal}`))
      } else {
        sent = true
        call.end(input.body)
      }
    }

    function lost(error: Error): void {
      if (outcome !== undefined) return
      stale = reused && !replied && isGone(error)
      const progress = call.socket === null ? 'connecting' : sockets.progressOf(call.socket)
      finish(classifyError(error, { sent, secure: target.secure, connected: progress !== 'connecting' }))
    }

    function expire(): void {
      const failed = sent ? failedDuring : failedBefore
      finish(failed('timeout', 'the deadline passed'))
    }

    function finish(result: Outcome): void {
      if (outcome !== undefined) return
      outcome = result
      clearTimeout(timer)
      // Keep the socket only if the request was fully written and the reply fully read.
      const complete = result.kind === 'reply' && !result.truncated && call.writableFinished
      if (!complete) call.destroy()
    }
  })
}

function openCall({ target, input, sockets }: ExchangeOptions): ClientRequest {
  const open = target.secure ? requestHttps : requestHttp
  return open({
    agent: sockets.agentFor(target.secure),
    host: target.host,
    port: target.port,
    path: target.path,
    method: input.method,
    headers: requestHeaders(input),
    maxHeaderSize: MAX_REPLY_HEADER_BYTES,
    insecureHTTPParser: false,
  })
}

/** Whether the receiver closed the connection, as opposed to sending an unreadable reply. */
function isGone(error: Error): boolean {
  return !('code' in error) || error.code === 'ECONNRESET' || error.code === 'EPIPE'
}

/** Headers set here or by Node. The caller's values are ignored, because they could conflict. */
const NOT_THE_CALLERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The caller's headers plus Content-Length, so that the request is never chunked. */
function requestHeaders(input: OutboundRequest): Record<string, string | number> {
  const headers: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(input.headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) headers[name] = value
  }
  // Without a body, Node sends Content-Length 0 for a POST and none for a GET.
  if (input.body !== undefined) headers['Content-Length'] = input.body.byteLength
  return headers
}

/** Reads up to `maxBytes` of the body and reports once. The caller closes the socket if there is more. */
function readReply(reply: IncomingMessage, maxBytes: number, report: (outcome: Outcome) => void): void {
  const parts: Buffer[] = []
  let length = 0

  function finish(truncated: boolean): void {
    const body = Buffer.concat(parts, Math.min(length, maxBytes))
    report({ kind: 'reply', status: reply.statusCode ?? 0, headers: headersOf(reply), body, truncated })
  }

  reply.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.byteLength
    if (length > maxBytes) finish(true)
  })
  reply.once('end', () => finish(false))
  // The request usually reports a loss first, but an unhandled 'error' event would end the process.
  reply.on('error', () => report(failedDuring('connection_lost', 'the connection was lost during the reply')))
}

function headersOf(reply: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
