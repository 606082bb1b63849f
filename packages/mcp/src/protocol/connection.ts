import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Identity, OnFault } from '../tools/index.ts'
import { agreedRevision, atRevision } from './at-revision.ts'
import { STATELESS, WHEN_UNSAID } from './revisions.ts'
import { createToolServer, type ToolServer } from './server.ts'

/** A connection that lasts for many messages. */
export interface Connection {
  /** Takes a message of the client. */
  receive(message: JSONRPCMessage): void
  /** Resolves when no call is running, even if the client no longer waits for its answer. */
  answered(): Promise<void>
  close(): Promise<void>
}

/** Serves the tools to one client, which gets what is written. Its first message decides for which revision. */
export function serveConnection(
  identity: Identity,
  write: (message: JSONRPCMessage) => void,
  onFault: OnFault,
): Connection {
  let revision = WHEN_UNSAID
  const transport: Transport = {
    async start() {},
    async send(message) {
      revision = agreedRevision(message) ?? revision
      write(atRevision(revision, message))
    },
    async close() {
      transport.onclose?.()
    },
  }
  const opened: ToolServer[] = []
  const served = serveStdio(
    ({ era }) => {
      revision = era === 'modern' ? STATELESS : WHEN_UNSAID
      const one = createToolServer(identity, onFault)
      opened.push(one)
      return one.server
    },
    { transport },
  )
  const running = () => opened.flatMap((one) => [...one.running])
  return {
    receive: (message) => transport.onmessage?.(message),
    async answered() {
      // The library takes a message, and writes an answer, a few turns of the event loop later.
      await new Promise(setImmediate)
      for (let calls = running(); calls.length > 0; calls = running()) await Promise.allSettled(calls)
      await new Promise(setImmediate)
    },
    close: () => served.close(),
  }
}
