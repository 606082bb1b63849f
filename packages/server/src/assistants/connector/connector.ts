import { loadedOnce } from '../../platform/loaded-once.ts'
import type { Connector, ConnectorOptions } from './options.ts'

/**
 * Serves the ten tools: to assistants with a connection, within its limits, and to programs with REST API credentials,
 * within the operator's limits. The `@wigwag/mcp` package is loaded at the first call.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const connector = loadedOnce(() => load(options))
  return {
    serve: async (c) => (await connector()).serve(c),
    describe: async (c) => (await connector()).describe(c),
  }
}

async function load(options: ConnectorOptions): Promise<Connector> {
  const { createServing } = await import('./serving.ts')
  return createServing(options)
}
