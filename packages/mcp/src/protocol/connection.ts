import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Identity, OnFault } from '../tools/index.ts'
import { createToolServer, type ToolServer } from './server.ts'

/** A connection that lasts for many messages. */
export interface Connection {
  /** Resolves when no call is running, even if the client no longer waits for its answer. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Serves the tools to one client over a transport. Its first message decides for which revision. */
export function serveConnection(identity: Identity, transport: Transport, onFault: OnFault): Connection {
  const opened: ToolServer[] = []
  const served = serveStdio(
    () => {
      const one = createToolServer(identity, onFault)
      opened.push(one)
      return one.server
    },
    { transport },
  )
  const running = () => opened.flatMap((one) => [...one.running])
  return {
    async settled() {
      // The library takes a message, and writes an answer, a few turns of the event loop later.
      await new Promise(setImmediate)
      for (let calls = running(); calls.length > 0; calls = running()) await Promise.allSettled(calls)
      await new Promise(setImmediate)
    },
    close: () => served.close(),
  }
}
