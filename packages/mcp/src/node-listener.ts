import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** Makes a web handler one for `node:http`. What it throws is told to `onFault`, and not to the client. */
export function toNodeListener(
  handler: (request: Request) => Promise<Response>,
  onFault: (error: unknown) => void,
) {
  return async function listen(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const response = await handler(toRequest(incoming))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(await response.text())
    } catch (error) {
      onFault(error)
      if (!outgoing.headersSent) outgoing.writeHead(500)
      outgoing.end()
    }
  }
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
    ),
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' as const }),
  })
}
