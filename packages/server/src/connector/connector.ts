import type { Connector, ConnectorOptions } from './options.ts'

/**
 * Serves the ten tools to assistants that people let in, within the limits that they chose; and to whoever shows the
 * credentials of the REST API, within the operator's. The package is loaded when the first of them calls.
 */
export function createConnector(options: ConnectorOptions): Connector {
  let loaded: Promise<Connector> | undefined
  const connector = () => {
    loaded ??= load(options)
    return loaded
  }
  return {
    serve: async (c) => (await connector()).serve(c),
    describe: async (c) => (await connector()).describe(c),
  }
}

async function load(options: ConnectorOptions): Promise<Connector> {
  const { createServing } = await import('./serving.ts')
  return createServing(options)
}
