import type { IncomingMessage } from 'node:http'
import { failedDuring, type Outcome } from './outcome.ts'

/** Reads up to `maxBytes` of the body and reports once; the caller drops a connection with more to say. */
export function readReply(
  reply: IncomingMessage,
  maxBytes: number,
  report: (outcome: Outcome) => void,
): void {
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
  // As a rule the request reports a loss first; an 'error' nobody listens for would end the process.
  reply.on('error', () => report(failedDuring('connection_lost', 'the connection was lost during the reply')))
}

function headersOf(reply: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
