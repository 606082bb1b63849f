import type { CallbackHandler } from './callback-handler.ts'
import { BODY_GONE, concat, longestBody, toBytes } from './signature.ts'

/**
 * The part of Node's request that is needed. The raw body is taken from `rawBody` (Nest's option `rawBody: true`,
 * Firebase, the `verify` function of `express.json()`), from a `body` of bytes or text (`express.raw()`,
 * `express.text()`), or read.
 * @example
 * import { createServer } from 'node:http'
 * import { callbackHandler, toNodeHandler } from '@wigwag/sdk'
 * const handle = toNodeHandler(callbackHandler('whsec_c2VjcmV0', (payload) => console.log(payload)))
 * createServer((request, response) => handle(request, response)).listen(3000)
 */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string | undefined
  url?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** True once something else has read the body. */
  readableDidRead?: boolean
  rawBody?: unknown
  body?: unknown
}

/**
 * The part of Node's response that is needed.
 * @example
 * import type { NodeResponse } from '@wigwag/sdk'
 * const refuse = (response: NodeResponse) => {
 *   response.statusCode = 503
 *   response.end()
 * }
 */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body?: string): unknown
}

/**
 * Turns a web handler into one for `node:http`, Express, Fastify and Nest. Mount it before what parses bodies, such as
 * `express.json()`: the signature covers the received bytes. If these are gone, the handler rejects, and
 * `callbackHandler` answers 500 and says so. An error that the handler throws goes to `next`, without it to
 * `console.error`.
 * @example
 * import { createServer } from 'node:http'
 * import { callbackHandler, toNodeHandler } from '@wigwag/sdk'
 * const handler = callbackHandler('whsec_c2VjcmV0', (payload) => console.log(payload.Ticket, payload.Status))
 * createServer(toNodeHandler(handler)).listen(3000)
 */
export function toNodeHandler(
  handler: CallbackHandler,
): (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const answer = await handler(await toWebRequest(request))
      response.statusCode = answer.status
      answer.headers.forEach((value, name) => {
        response.setHeader(name, value)
      })
      response.end(await answer.text())
    } catch (error) {
      if (next) return next(error)
      console.error(error)
      response.statusCode = 500
      response.end('The receiver failed. Its log says why.')
    }
  }
}

async function toWebRequest(request: NodeRequest): Promise<Request> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  const { method = 'GET', url = '/' } = request
  const body = /^(GET|HEAD)$/.test(method) ? null : await readBody(request)
  const init = { method, headers, body, duplex: 'half' }
  return new Request(new URL(url, 'http://localhost'), init)
}

async function readBody(request: NodeRequest): Promise<Uint8Array<ArrayBuffer> | ReadableStream> {
  for (const body of [request.rawBody, request.body])
    if (typeof body === 'string' || body instanceof Uint8Array) return toBytes(body)
  // The handler answers this: it knows where errors go.
  if (request.readableDidRead)
    return new ReadableStream({ start: (controller) => controller.error(new TypeError(BODY_GONE)) })
  const chunks: Uint8Array[] = []
  let length = 0
  // Not with `for await`: leaving such a loop over Node's stream closes the socket before the response is sent. Reading
  // stops just past the limit, which is enough for the handler to refuse the body.
  const stream = request[Symbol.asyncIterator]()
  while (length <= longestBody) {
    const next = await stream.next()
    if (next.done) break
    const chunk = toBytes(next.value)
    chunks.push(chunk)
    length += chunk.length
  }
  return concat(chunks)
}
