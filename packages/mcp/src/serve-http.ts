import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpHandler } from './http.ts'
import { problem } from './http-checks.ts'
import type { Identity } from './identity.ts'
import { toNodeListener } from './node-listener.ts'
import type { OnFault } from './protocol.ts'

export interface ServeHttpOptions {
  identity: Identity
  host: string
  port: number
  onFault: OnFault
  log(line: string): void
}

/** Serves `/mcp` on this machine, always as the same connection. Resolves when it listens. */
export async function serveHttp({ identity, host, port, onFault, log }: ServeHttpOptions) {
  const handle = createHttpHandler({
    identify: async () => identity,
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    onFault,
  })
  const serve = async (request: Request) =>
    new URL(request.url).pathname === '/mcp' ? handle(request) : problem(404, 'Only /mcp is served here.')
  const server = createServer(
    toNodeListener(serve, (error) =>
      log(`a request failed: ${error instanceof Error ? error.message : error}`),
    ),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const at = address.family === 'IPv6' ? `[${address.address}]` : address.address
  log(`serving http://${at}:${address.port}/mcp to everybody on this machine`)
  return {
    /** Takes no more requests, and resolves when those under way are answered. */
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
    },
  }
}
