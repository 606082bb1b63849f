import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { Problem } from '../domain/errors.ts'

/** The context of every route here: Node's own request beside the web one, when there is a socket. */
export type HttpContext = Context<{ Bindings: Partial<HttpBindings> }>

/**
 * Reads a body, counting bytes as they arrive, so that an oversized one is refused before it is held or parsed.
 * From a socket it reads Node's stream: a web stream over it would cost more than the rest of the request.
 */
export function readBody(c: HttpContext, limit: number): Promise<Buffer> {
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
    incoming.on('error', () => reject(new Problem('invalid_json', 'The body broke off before its end.')))
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

function tooLarge(limit: number): Problem {
  return new Problem('body_too_large', `Expected a body of at most ${limit} bytes.`)
}
