import { setTimeout as pause } from 'node:timers/promises'
import { type Server, type ServerOptions, startServer } from '../../process/server.ts'

/** Gateways on one database, each of which can be killed, stopped for a while and started again. */
export interface Gateways {
  count: number
  /** Where it listens, or did before it was killed. */
  urlOf(index: number): string
  /** Ends it at once, and starts it again after a while, elsewhere. */
  kill(index: number, downMs: number): Promise<void>
  /** Stops it wherever it is, and lets it go on after a while as if no time had passed. */
  freeze(index: number, ms: number): Promise<void>
  close(): Promise<void>
}

/** Starts all at once. */
export async function startGateways(count: number, options: ServerOptions): Promise<Gateways> {
  const starting = await Promise.allSettled(Array.from({ length: count }, () => startServer(options)))
  const servers = starting.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const close = async () => {
    await Promise.all(servers.map((server) => server.kill()))
  }
  const failed = starting.find((each) => each.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  function serverAt(index: number): Server {
    const server = servers[index]
    if (!server) throw new Error(`expected a gateway ${index}`)
    return server
  }
  return {
    count,
    urlOf: (index) => serverAt(index).url,
    async kill(index, downMs) {
      await serverAt(index).kill()
      await pause(downMs)
      servers[index] = await startServer(options)
    },
    async freeze(index, ms) {
      serverAt(index).suspend()
      await pause(ms)
      serverAt(index).resume()
    },
    close,
  }
}
