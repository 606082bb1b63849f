import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that Linux, macOS and Windows hand out by themselves, to listeners at port 0 and to connections. */
const FIRST = 20_000
const PAIRS = 6_000

/**
 * A port that nothing listens on, and that is given to no other caller while this process lives: for what must know its
 * port before it listens, or listens at it again. Of each pair of ports, this process keeps listening at the first; a
 * second caller, in any process, sees that and takes another pair. The system lets go of it when the process ends.
 */
export async function freePort(): Promise<number> {
  const start = randomInt(PAIRS)
  for (let tried = 0; tried < PAIRS; tried++) {
    const kept = FIRST + 2 * ((start + tried) % PAIRS)
    const keeper = await listenAt(kept)
    if (!keeper) continue
    keeper.unref()
    // A killed test or another program may still listen there.
    const probe = await listenAt(kept + 1)
    if (!probe) {
      keeper.close()
      continue
    }
    await once(probe.close(), 'close')
    return kept + 1
  }
  throw new Error(`expected a free port from ${FIRST} to ${FIRST + 2 * PAIRS}; every one is taken`)
}

async function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening')
    return server
  } catch {
    return undefined
  }
}
