import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { OutboundRequest } from '../gateway/ports.ts'
import type { AddressGuard } from './address-guard.ts'
import { classifyError } from './classify-error.ts'
import type { Connections } from './connections.ts'
import { failedBefore, failedDuring, type Outcome } from './outcome.ts'
import { readReply } from './read-reply.ts'
import { requestHeaders } from './request-headers.ts'
import type { Target } from './target.ts'

export interface ExchangeOptions {
  target: Target
  input: OutboundRequest
  connections: Connections
  guard: AddressGuard
  timeoutMs: number
}

export interface Exchanged {
  outcome: Outcome
  /** A kept connection turned out to be closed at the other end, before any reply. */
  stale: boolean
}

const MAX_REPLY_HEADER_BYTES = 16 * 1024

/**
 * One request on one connection. Not a byte of the request is written before the connected address has been
 * checked, on a new connection and on a kept one alike. Settles once the connection is free again or gone.
 */
export function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { target, input, connections, guard } = options

  return new Promise((settle) => {
    let outcome: Outcome | undefined
    let sent = false
    let reused = false
    let replied = false
    let stale = false

    const call = openCall(options)
    const timer = setTimeout(expire, options.timeoutMs)

    call.once('socket', (socket) => {
      reused = connections.progressOf(socket) === 'ready'
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
      const progress = call.socket === null ? 'connecting' : connections.progressOf(call.socket)
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
      // A connection is worth keeping only if both sides said all they had to say.
      const complete = result.kind === 'reply' && !result.truncated && call.writableFinished
      if (!complete) call.destroy()
    }
  })
}

function openCall({ target, input, connections }: ExchangeOptions): ClientRequest {
  const open = target.secure ? requestHttps : requestHttp
  return open({
    agent: connections.agentFor(target.secure),
    host: target.host,
    port: target.port,
    path: target.path,
    method: input.method,
    headers: requestHeaders(input),
    maxHeaderSize: MAX_REPLY_HEADER_BYTES,
    insecureHTTPParser: false,
  })
}

/** The other end closed the connection, as opposed to answering something that cannot be read. */
function isGone(error: Error): boolean {
  return !('code' in error) || error.code === 'ECONNRESET' || error.code === 'EPIPE'
}
