import { createToolServer } from '../protocol/index.ts'
import type { Identity, OnFault } from '../tools/index.ts'
import { type AllowedHosts, refusal } from './http-checks.ts'
import { type HttpReply, type HttpRequest, LARGEST_BODY, type Serve, takeMessage } from './http-message.ts'
import { checkScope } from './protected-resource.ts'

export interface HttpHandlerOptions extends AllowedHosts {
  /** Returns who is calling, or the answer to send instead, such as a 401. */
  identify(request: Request): Promise<Identity | Response>
  onFault?: OnFault
}

/** Serves the tools to callers that `identify` accepts, in any framework with web requests. */
export function createHttpHandler(options: HttpHandlerOptions): (request: Request) => Promise<Response> {
  const { identify, onFault = () => {} } = options
  return createMessageHandler(options, async (request) => {
    const identity = await identify(request)
    return identity instanceof Response ? identity : serveCaller(identity, onFault)
  })
}

/** The same for any server of the protocol: `open` returns the one for a request, or the answer to send instead. */
export function createMessageHandler(
  allowed: AllowedHosts,
  open: (request: Request) => Promise<Serve | Response>,
): (request: Request) => Promise<Response> {
  return async function handle(request) {
    const incoming = fromWeb(request)
    const refused = refusal(incoming, allowed)
    if (refused) return toWeb(refused)
    const serve = await open(request)
    return serve instanceof Response ? serve : toWeb(await takeMessage(incoming, serve))
  }
}

/** Serves the tools to one caller. */
export function serveCaller(identity: Identity, onFault: OnFault): Serve {
  return function serve(request) {
    checkScope(identity, request)
    return createToolServer(identity, onFault, request.method).server
  }
}

function fromWeb(request: Request): HttpRequest {
  const { method, headers, url } = request
  return {
    method,
    host: headers.get('host') ?? new URL(url).host,
    header: (name) => headers.get(name),
    body() {
      // With a declared length, the body need not be read in chunks.
      const declared = headers.get('content-length')
      if (declared === null) return readText(request, LARGEST_BODY)
      return Number(declared) <= LARGEST_BODY ? request.text() : Promise.resolve(undefined)
    },
  }
}

export function toWeb({ status, headers, body }: HttpReply): Response {
  return new Response(body === '' ? null : body, { status, headers })
}

export async function replyOf(response: Response): Promise<HttpReply> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

/** The text of a body; undefined when it has more than `limit` bytes. Reading stops there. */
export async function readText({ body }: Pick<Body, 'body'>, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.byteLength
    if (length > limit) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks).toString('utf8')
}
