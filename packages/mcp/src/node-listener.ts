import type { IncomingMessage, ServerResponse } from 'node:http'
import { LARGEST_BODY } from './http.ts'

/** Makes a web handler one for `node:http`. What it throws is told to `onFault`, and not to the client. */
export function toNodeListener(
  handler: (request: Request) => Promise<Response>,
  onFault: (error: unknown) => void,
) {
  return async function listen(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const response = await handler(await toRequest(incoming))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(await response.text())
    } catch (error) {
      onFault(error)
      if (!outgoing.headersSent) outgoing.writeHead(500)
      outgoing.end()
    }
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
    ),
    ...(hasBody && { body: await read(incoming) }),
  })
}

/** The body, or as much of it as shows that it is too large. A whole one costs the handler less than a stream. */
function read(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const end = () => resolve(Buffer.concat(chunks))
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > LARGEST_BODY) {
        incoming.removeAllListeners('data').pause()
        end()
      }
    })
    incoming.on('end', end)
    incoming.on('error', reject)
  })
}
