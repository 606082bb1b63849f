import { type AllowedHosts, refusal } from './http-checks.ts'
import { type HttpReply, type HttpRequest, LARGEST_BODY, type Serve, takeMessage } from './http-message.ts'
import type { Identity } from './identity.ts'
import { connect, type OnFault } from './protocol.ts'

export interface HttpHandlerOptions extends AllowedHosts {
  /** Says who calls, or answers in place of the tools, as with a 401. */
  identify(request: Request): Promise<Identity | Response>
  onFault?: OnFault
}

/** Serves the tools to whoever `identify` lets in, for any framework that has web requests. */
export function createHttpHandler(options: HttpHandlerOptions): (request: Request) => Promise<Response> {
  const { identify, onFault = () => {} } = options
  return createHttpDoor(options, async (request) => {
    const identity = await identify(request)
    return identity instanceof Response ? identity : (transport) => connect(identity, transport, onFault)
  })
}

/** The same for any server of the protocol: `open` gives the one for a request, or answers in its place. */
export function createHttpDoor(
  allowed: AllowedHosts,
  open: (request: Request) => Promise<Serve | Response>,
): (request: Request) => Promise<Response> {
  return async function take(request) {
    const incoming = fromWeb(request)
    const refused = refusal(incoming, allowed)
    if (refused) return toWeb(refused)
    const serve = await open(request)
    return serve instanceof Response ? serve : toWeb(await takeMessage(incoming, serve))
  }
}

function fromWeb(request: Request): HttpRequest {
  const { method, headers, url } = request
  return {
    method,
    host: headers.get('host') ?? new URL(url).host,
    header: (name) => headers.get(name),
    body() {
      // A length that is told spares reading in pieces.
      const told = headers.get('content-length')
      if (told === null) return readPieces(request)
      return Number(told) <= LARGEST_BODY ? request.text() : Promise.resolve(undefined)
    },
  }
}

async function readPieces({ body }: Request): Promise<string | undefined> {
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

function toWeb({ status, headers, body }: HttpReply): Response {
  return new Response(body === '' ? null : body, { status, headers })
}
