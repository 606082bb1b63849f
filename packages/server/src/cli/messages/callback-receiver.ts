import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { CallbackError, type CallbackPayload, parseCallback, verifyCallback } from '@wigwag/sdk'
import { systemClock } from '../../platform/clock.ts'
import { printJson, say } from '../terminal.ts'
import { type Forwarded, forward } from './forward.ts'

export interface ReceiverOptions {
  /** The secrets that callbacks are signed with. If empty, signatures are not checked. */
  secrets: readonly string[]
  /** The only path that callbacks are taken at, if any: without a secret, one that a stranger can't guess. */
  path: string | undefined
  /** The URL that callbacks are forwarded to, if any. */
  forwardTo: string | undefined
}

const MOST_BYTES = 65_536

/** Receives callbacks: prints those with a valid signature, forwards them and returns the answer. */
export function createReceiver({ secrets, path, forwardTo }: ReceiverOptions): RequestListener {
  async function receive(request: IncomingMessage): Promise<Forwarded> {
    // Any page in a browser of this machine can post here, and read no answer.
    if (path !== undefined && request.url?.split('?')[0] !== path) {
      say('A request was refused: it was not for the address that was printed.')
      return answer(404, 'Expected the address that wigwag listen printed.')
    }
    if (request.method !== 'POST') return answer(405, 'Expected POST.', { allow: 'POST' })
    const body = await readBody(request)
    if (!body) return answer(413, `Expected at most ${MOST_BYTES} bytes.`)
    const payload = await read(request, body)
    if (payload instanceof CallbackError) {
      say(`A callback was refused: ${payload.message}`)
      return answer(payload.status, payload.message)
    }
    const handed = forwardTo && (await handOn(forwardTo, request, body))
    const result = handed ? { forwarded: handed.error ?? handed.answer.status } : {}
    const id = request.headers['webhook-id'] ?? null
    printJson({
      receivedAt: new Date(systemClock.now()).toISOString(),
      id,
      verified: secrets.length > 0,
      payload,
      ...result,
    })
    return handed ? handed.answer : answer(204, '')
  }

  async function read(request: IncomingMessage, body: Buffer): Promise<CallbackPayload | CallbackError> {
    try {
      if (secrets.length === 0) return await parseCallback(body)
      return await verifyCallback({ body, headers: request.headers }, secrets)
    } catch (error) {
      if (error instanceof CallbackError) return error
      throw error
    }
  }

  return function onRequest(request, response) {
    receive(request)
      .catch((error: unknown) => {
        say(`A callback could not be received: ${error instanceof Error ? error.message : error}`)
        return answer(500, '')
      })
      .then((found) => reply(response, found))
  }
}

async function handOn(url: string, request: IncomingMessage, body: Buffer) {
  try {
    return { answer: await forward(url, request.rawHeaders, body), error: undefined }
  } catch (error) {
    const why = error instanceof Error ? error.message || String(Reflect.get(error, 'code')) : String(error)
    say(`${url} did not take a callback: ${why}`)
    return { answer: answer(502, `${url} did not answer`), error: why }
  }
}

/** The exact bytes of the body; undefined when there are too many. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MOST_BYTES) chunks.push(chunk)
  }
  return length <= MOST_BYTES ? Buffer.concat(chunks) : undefined
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Forwarded {
  const type = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }
  return { status, headers: { ...headers, ...type }, body: Buffer.from(text) }
}

function reply(response: ServerResponse, { status, headers, body }: Forwarded): void {
  response.writeHead(status, headers)
  response.end(status === 204 || status === 304 ? undefined : body)
}
