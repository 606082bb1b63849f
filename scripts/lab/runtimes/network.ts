import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']

/** Stands before a gateway, which takes every request; the answer to one POST does not come back. */
export interface Network extends AsyncDisposable {
  url: string
  /** The idempotency key of each POST. */
  keys: string[]
  since: Date
  /** Settled once that answer was kept back. */
  kept: Promise<void>
}

/** A network that, in place of the answer to the nth POST, drops the connection or stays silent. */
export async function losesAnswer(target: string, nth: number, how: 'drops' | 'silent'): Promise<Network> {
  const keys: string[] = []
  const { promise: kept, resolve: keep } = Promise.withResolvers<void>()
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '', headers } = request
    const body = await buffer(request)
    const passed = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name))
    const answer = await fetch(target + url, {
      method,
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === 'POST' && { body }),
    })
    const text = await answer.text()
    const key = headers['idempotency-key']
    if (method === 'POST' && key !== undefined && keys.push(String(key)) === nth) {
      keep()
      if (how === 'drops') request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    keys,
    since: new Date(),
    kept,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
