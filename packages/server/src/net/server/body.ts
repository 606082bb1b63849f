import { hash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { KEY_FORM } from '@wigwag/contract'
import type { Context } from 'hono'
import { Problem } from '../../kernel/errors.ts'
import type { Exchange } from './exchange.ts'

/**
 * The context of every route: includes Node's own request when the request came over a socket, the notes for those that
 * watch, and whether one of our tools asks, inside the process.
 */
export type HttpContext = Context<{
  Bindings: Partial<HttpBindings> & { exchange?: Exchange; forTools?: true }
}>

/** Adds to what those that watch are told of a request. */
export function note({ env }: { env: { exchange?: Exchange } | undefined }, facts: Partial<Exchange>): void {
  if (env?.exchange) Object.assign(env.exchange, facts)
}

/**
 * Reads a body and refuses it as soon as it exceeds `limit`, before it is buffered whole or parsed. Reads Node's own
 * stream when there is a socket: a web stream on top would cost more than the rest of the request.
 */
export function readBody(c: Pick<HttpContext, 'env' | 'req'>, limit: number): Promise<Buffer> {
  const announced = Number(c.req.header('content-length') ?? 0)
  if (announced > limit) return Promise.reject(tooLarge(limit))
  return c.env?.incoming ? readSocket(c.env.incoming, limit) : readStream(c.req.raw.body, limit)
}

function readSocket(incoming: HttpBindings['incoming'], limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        incoming.removeAllListeners('data')
        incoming.resume()
        reject(tooLarge(limit))
      } else chunks.push(chunk)
    })
    incoming.on('end', () => {
      const [only] = chunks
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks))
    })
    incoming.on('error', () => reject(endedEarly()))
    // Its client left while something else was waited for, so none of these events will come.
    if (incoming.destroyed && !incoming.readableEnded) reject(endedEarly())
  })
}

async function readStream(stream: ReadableStream<Uint8Array> | null, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream?.getReader()
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    size += part.value.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(part.value)
  }
  return Buffer.concat(chunks)
}

function endedEarly(): Problem {
  return new Problem('invalid_json', 'The body ended early.')
}

function tooLarge(limit: number): Problem {
  return new Problem('body_too_large', `Expected a body of at most ${limit} bytes.`)
}

/** Whether a browser takes responses in an encoding. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return new RegExp(`(^|[,\\s])${encoding}([,;\\s]|$)`).test(header ?? '')
}

const VISIBLE = /^[!-~]{1,255}$/

/** The request's idempotency key, if it has one. Throws a problem when it is malformed. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (VISIBLE.test(header)) return header
  throw new Problem(
    'invalid_idempotency_key',
    `Expected ${KEY_FORM}; got ${header.length > 255 ? `${header.length} characters` : 'others'}.`,
  )
}

/** The hash of a body's exact bytes. Only a byte-for-byte equal body counts as a repeat. */
export function fingerprintOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64url')
}
