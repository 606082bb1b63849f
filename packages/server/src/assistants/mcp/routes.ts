import { loadedOnce } from '../../platform/loaded-once.ts'
import type { McpOptions, McpRoutes } from './options.ts'

/**
 * Serves the ten tools: to assistants with a connection, within its limits, and to programs with REST API credentials,
 * within the operator's limits. The `@wigwag/mcp` package is loaded at the first call.
 */
export function createMcpRoutes(options: McpOptions): McpRoutes {
  const routes = loadedOnce(() => load(options))
  return {
    serve: async (c) => (await routes()).serve(c),
    describe: async (c) => (await routes()).describe(c),
  }
}

async function load(options: McpOptions): Promise<McpRoutes> {
  const { loadedRoutes } = await import('./loaded-routes.ts')
  return loadedRoutes(options)
}
