import { createServer, type ServerResponse } from 'node:http'

/** Waits on this machine for the browser to come back from the sign-in (RFC 8252 §7.3). */
export interface Loopback {
  redirectUri: string
  /** The parameters that the browser brought. */
  answer: Promise<URLSearchParams>
  close(): void
}

const PATH = '/callback'
const DONE = 'The check has its answer. You can close this window and go back to the terminal.\n'

export async function openLoopback(): Promise<Loopback> {
  const { promise: answer, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (request.method !== 'GET' || pathname !== PATH) return reply(response, 404, 'There is nothing here.\n')
    // After the reply, so that the browser has its page before the listener is closed.
    response.once('close', () => resolve(searchParams))
    reply(response, 200, DONE)
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', listening)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    answer,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    // The address holds the code.
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(text)
}
