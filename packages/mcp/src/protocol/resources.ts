import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server'
import { type Reading, readResource, resourceTemplates } from '../resources/index.ts'
import type { Identity, OnFault } from '../tools/index.ts'

/** There are templates alone: a list of messages would be a call of the gateway for each client that connects. */
const listed = { resources: [] }
const templates = { resourceTemplates: [...resourceTemplates] }

/** Lets a client read resources. Each read is among the `running` calls until it ends. */
export function serveResources(
  server: Server,
  identity: Identity,
  onFault: OnFault,
  running: Set<Promise<unknown>>,
): void {
  server.setRequestHandler('resources/list', () => listed)
  server.setRequestHandler('resources/templates/list', () => templates)
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const reading = readResource(identity, uri, onFault)
    running.add(reading)
    return toContents(uri, await reading.finally(() => running.delete(reading)))
  })
}

function toContents(uri: string, reading: Reading) {
  switch (reading.kind) {
    case 'text':
      return { contents: [{ uri, mimeType: reading.mimeType, text: reading.text }] }
    case 'not found':
      throw new ResourceNotFoundError(uri, reading.text)
    case 'failure':
      throw new ProtocolError(ProtocolErrorCode.InternalError, reading.text)
  }
}
