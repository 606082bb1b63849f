import {
  answerOverHttp,
  type ProtocolRequest,
  type ProtocolServer,
  parseJson,
  protocolError,
  readHttpMessage,
} from '../protocol/index.ts'

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

/** Makes the server that answers one request. It may throw {@link Refused}. */
export type Serve = (request: ProtocolRequest) => ProtocolServer

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
 * The server's side of Streamable HTTP without sessions, for clients of all revisions: one message comes in, and its
 * answer goes out as JSON. No state is kept between messages, so any process can take the next one.
 */
export async function takeMessage(request: HttpRequest, serve: Serve): Promise<HttpReply> {
  const body = await request.body()
  if (body === undefined) return problem(413, `Expected a body of at most ${LARGEST_BODY} bytes.`)
  const value = parseJson(body)
  if (value === undefined) return problem(400, 'The body is not JSON.', {}, -32_700)
  if (Array.isArray(value)) return problem(400, 'Expected one message; batches are not supported.')
  const incoming = readHttpMessage(request.header, value)
  if (incoming.kind === 'refused') return json(incoming.status, incoming.error)
  if (incoming.kind === 'unanswered') return { status: 202, headers: {}, body: '' }
  try {
    const { status, message } = await answerOverHttp(serve(incoming.request), incoming)
    return json(status, message)
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
