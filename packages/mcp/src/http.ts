import { type AllowedHosts, problem, refusal } from './http-checks.ts'
import type { Identity } from './identity.ts'
import { connect, type OnFault, type ProtocolMessage, readMessage, type Transport } from './protocol.ts'

/** A message of the protocol is far smaller; one that is larger is not read. */
export const LARGEST_BODY = 1_048_576

export interface HttpHandlerOptions extends AllowedHosts {
  /** Says who calls, or answers in place of the tools, as with a 401. */
  identify(request: Request): Promise<Identity | Response>
  onFault?: OnFault
}

/**
 * The server's side of Streamable HTTP, without sessions: every POST is a message, and its answer is JSON. Nothing is
 * remembered between two requests, so that any process can take the next one.
 */
export function createHttpHandler(options: HttpHandlerOptions): (request: Request) => Promise<Response> {
  const { identify, onFault = () => {} } = options

  return async function serve(request) {
    const refused = refusal(request, options)
    if (refused) return refused
    const identity = await identify(request)
    if (identity instanceof Response) return identity
    const body = await readBody(request)
    if (body === undefined) return problem(413, `Expected a body of at most ${LARGEST_BODY} bytes.`)
    const value = parse(body)
    if (value === undefined) return problem(400, 'The body is not JSON.', {}, -32_700)
    if (Array.isArray(value)) return problem(400, 'Expected one message; batches are not supported.')
    const incoming = readMessage(value)
    if (!incoming) return problem(400, 'The body is not a JSON-RPC 2.0 message.')
    if (incoming.kind !== 'request') return new Response(null, { status: 202 })
    return Response.json(await answer(identity, incoming.message, onFault))
  }
}

/** Has one request answered by a server of its own, as one that is fresh for every request can't mix callers up. */
async function answer(
  identity: Identity,
  request: ProtocolMessage,
  onFault: OnFault,
): Promise<ProtocolMessage> {
  const { promise, resolve } = Promise.withResolvers<ProtocolMessage>()
  const transport: Transport = {
    async start() {},
    async send(message) {
      if ('id' in message && !('method' in message)) resolve(message)
    },
    async close() {
      transport.onclose?.()
    },
  }
  const service = await connect(identity, transport, onFault)
  transport.onmessage?.(request)
  const answered = await promise
  await service.close()
  return answered
}

/** The body, as far as it may go; undefined when it goes further. */
async function readBody({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.byteLength
    if (length > LARGEST_BODY) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
