import type { IncomingHttpHeaders } from 'node:http'
import type { Guard } from './address-guard.ts'
import { BlockedAddress } from './checked-lookup.ts'
import type { Connection, Target } from './connection-pool.ts'
import { classifyError, failedBefore, failedDuring, type OutboundRequest, type Outcome } from './port.ts'

export interface Exchanged {
  outcome: Outcome
  /** The receiver had closed the kept socket before any reply. */
  stale: boolean
}

/** One request on one connection, new or kept. Writes nothing before the connected address has been checked. */
export function exchange({
  target,
  input,
  connection,
  guard,
  timeoutMs,
}: {
  target: Target
  input: OutboundRequest
  connection: Connection
  guard: Guard
  timeoutMs: number
}): Promise<Exchanged> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let length = 0
    let head: { status: number; headers: Record<string, string> } | undefined
    let ended = false
    let sent = false
    let reused = false
    let readBefore = 0

    const timer = setTimeout(expire, timeoutMs)
    const { method, body = null } = input
    const request = { method, path: target.path, headers: headersOf(input), body }

    connection.client.dispatch(request, {
      // The client writes the whole request as soon as this returns, unless it was aborted.
      onRequestStart(controller) {
        const refusal = guard.check(connection.address)
        if (refusal !== undefined) {
          controller.abort(new BlockedAddress(`the connected address is ${refusal}`))
          return
        }
        reused = connection.used
        readBefore = bytesRead()
        connection.used = true
        sent = true
      },
      onResponseStart(_controller, status, headers) {
        // Statuses below 200 are informational.
        if (status >= 200) head = { status, headers: joined(headers) }
      },
      onResponseData(_controller, part) {
        parts.push(part)
        length += part.byteLength
        if (length > input.maxReplyBytes) finishReply(true)
      },
      onResponseEnd: () => finishReply(false),
      onResponseError: (_controller, error) => lost(error),
    })

    function finishReply(truncated: boolean): void {
      if (head === undefined) return
      const body = Buffer.concat(parts, Math.min(length, input.maxReplyBytes))
      finish({ kind: 'reply', ...head, body, truncated })
    }

    function lost(error: Error): void {
      if (head !== undefined) {
        finish(failedDuring('connection_lost', 'the connection was lost during the reply'))
        return
      }
      const stale = sent && reused && bytesRead() === readBefore
      const connected = connection.address !== ''
      finish(classifyError(error, { sent, secure: target.secure, connected }), stale)
    }

    function expire(): void {
      const failed = sent ? failedDuring : failedBefore
      finish(failed('timeout', 'the deadline passed'))
    }

    function finish(outcome: Outcome, stale = false): void {
      if (ended) return
      ended = true
      clearTimeout(timer)
      resolve({ outcome, stale })
    }

    function bytesRead(): number {
      return connection.socket?.bytesRead ?? 0
    }
  })
}

/** Headers that the client sets or refuses. The caller's values are ignored, because they could conflict. */
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

/** Names and values in turn. */
function headersOf(input: OutboundRequest): string[] {
  const headers: string[] = []
  for (const [name, value] of Object.entries(input.headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}

function joined(received: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
