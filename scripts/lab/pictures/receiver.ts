import { createServer } from 'node:http'

/** A receiver of callbacks that answers `/fails` with 500 the first time, `/gone` with 410, and the rest with 200. */
export async function openReceiver(): Promise<{ url: string; close(): void }> {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume()
    const status = statusOf(request.url, seen.has(id))
    seen.add(id)
    response.statusCode = status
    response.end(status === 500 ? 'TypeError: cannot read order of undefined' : 'ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

function statusOf(path: string | undefined, again: boolean): number {
  if (path === '/gone') return 410
  return path === '/fails' && !again ? 500 : 200
}
