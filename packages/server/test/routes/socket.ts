import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen, type Serving, type Timeouts } from '../../src/net/server/listen.ts'
import { type Harness, MESSAGE } from '../support/harness.ts'

const AN_HOUR_MS = 3_600_000
const NEVER = { headersMs: AN_HOUR_MS, requestMs: AN_HOUR_MS, unreadMs: AN_HOUR_MS, lingerMs: 500 }

/** Time-outs that a test can wait for, where it is about them. On a busy machine they come between other requests. */
export const SOON: Timeouts = { headersMs: 40, requestMs: 90, unreadMs: 50, lingerMs: 500, lookMs: 10 }

/** Opens a socket for a gateway, until the test is over. */
export async function onSocket(
  { app, requestId }: Pick<Serving, 'app' | 'requestId'>,
  timeouts: Partial<Timeouts> = {},
  discardedPerSecond?: number,
): Promise<URL> {
  const within = { ...NEVER, ...timeouts }
  const at = { host: '127.0.0.1', port: 0 }
  const listener = await listen({ app, ...at, requestId, timeouts: within, discardedPerSecond })
  onTestFinished(() => listener.close(0))
  return new URL(listener.url)
}

/** Sends bytes as they are, and reads the first answer until the gateway ends the connection. */
export function exchange({ hostname, port }: URL, text: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString())))
  })
}

/** The head of a request for a send, whose body is yet to come. */
export function head({ demo }: Harness, path: string, fields: Record<string, string>): string {
  const own = {
    host: 'gateway.invalid',
    authorization: `Basic ${btoa(`${demo.clientId}:${demo.clientSecret}`)}`,
    'x-wallet': `Token ${demo.walletToken}`,
    'content-type': 'application/json',
    ...fields,
  }
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** A message as JSON of exactly so many bytes, which a field that nobody knows makes up. */
export function jsonOfSize(bytes: number, body: object = MESSAGE): string {
  const missing = bytes - JSON.stringify({ ...body, filler: '' }).length
  return JSON.stringify({ ...body, filler: 'x'.repeat(missing) })
}

function parse(text: string): Response {
  const [, status = '', rest = ''] = /^HTTP\/1\.1 (\d{3}) ([\s\S]*)$/.exec(text) ?? []
  const end = rest.indexOf('\r\n\r\n')
  const [reason, ...lines] = rest.slice(0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  const init = { status: Number(status), headers, ...(reason ? { statusText: reason } : {}) }
  return new Response(rest.slice(end + 4), init)
}
