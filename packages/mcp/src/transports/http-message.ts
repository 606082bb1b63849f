import { type ProtocolMessage, parseJson, protocolError, readMessage, type Transport } from './protocol.ts'

/** Messages of the protocol are far smaller. A larger body is not read. */
export const LARGEST_BODY = 1_048_576

/** The parts of a request that matter here, whether it is a web `Request` or comes from `node:http`. */
export interface HttpRequest {
  method: string
  host: string
  header(name: string): string | null
  /** The body; undefined when it is larger than {@link LARGEST_BODY}. */
  body(): Promise<string | undefined>
}

export interface HttpReply {
  status: number
  headers: Record<string, string>
  body: string
}

/** Serves the given transport, over which `message` then arrives. It may throw {@link Refused}. */
export type Serve = (transport: Transport, message: ProtocolMessage) => Promise<unknown>

/** The message is answered by HTTP itself, not by the protocol. */
export class Refused extends Error {
  override name = 'Refused'
  readonly reply: HttpReply

  constructor(reply: HttpReply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

/**
 * The server's side of Streamable HTTP without sessions: one message comes in, and its answer goes out as JSON. No state
 * is kept between messages, so any process can take the next one.
 */
export async function takeMessage(request: HttpRequest, serve: Serve): Promise<HttpReply> {
  const body = await request.body()
  if (body === undefined) return problem(413, `Expected a body of at most ${LARGEST_BODY} bytes.`)
  const value = parseJson(body)
  if (value === undefined) return problem(400, 'The body is not JSON.', {}, -32_700)
  if (Array.isArray(value)) return problem(400, 'Expected one message; batches are not supported.')
  const incoming = readMessage(value)
  if (!incoming) return problem(400, 'The body is not a JSON-RPC 2.0 message.')
  if (incoming.kind !== 'request') return { status: 202, headers: {}, body: '' }
  try {
    return json(200, await answer(incoming.message, serve))
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}

/** A reply whose body is a JSON-RPC error. */
export function problem(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32_600,
): HttpReply {
  return json(status, protocolError(code, message), headers)
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): HttpReply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  }
}

/**
 * Answers one request with a new server, so that callers can't be mixed up. The server is not closed: it holds no
 * resources, and closing it would cost a tenth of the call.
 */
async function answer(request: ProtocolMessage, serve: Serve): Promise<ProtocolMessage> {
  const { promise, resolve } = Promise.withResolvers<ProtocolMessage>()
  const transport: Transport = {
    async start() {},
    async send(message) {
      if ('id' in message && !('method' in message)) resolve(message)
    },
    async close() {},
  }
  await serve(transport, request)
  transport.onmessage?.(request)
  return promise
}
