import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

/**
 * The projects of the workspace, each with its own folder of tests. They run in the order of their names, and the
 * server's come last: they are many and short, so that no worker waits long for another at the end.
 */
export default ['packages/contract', 'packages/sdk', 'packages/server', 'packages/mcp', 'scripts', 'examples']

/** One more than there are processors, since tests also wait, and no more than one PostgreSQL serves well. */
export const maxWorkers = Math.min(availableParallelism() + 1, 8)

/** Tests start Node some 400 times. What it has compiled stays here, so that the next one need not. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/**
 * What the projects have in common. Tests see the packages' sources, as the type check does, not what was built. The
 * files of a project share workers, each of which loads the sources once: for most files that takes longer than their
 * tests. So a file leaves nothing behind, and a hook that a helper needs is registered by a function that files call.
 */
export function project(name: string): UserWorkspaceConfig {
  return defineProject({
    resolve: {
      // A part of a package comes before the package: the first that fits is taken.
      alias: {
        '@wigwag/contract/openapi': source('contract', 'generated/openapi.ts'),
        '@wigwag/contract/operations': source('contract', 'generated/operations.ts'),
        '@wigwag/contract/validators': source('contract', 'generated/validators.ts'),
        '@wigwag/contract/tools': source('contract', 'generated/tools.ts'),
        '@wigwag/contract/segments': source('contract', 'text/segments.ts'),
        '@wigwag/contract': source('contract'),
        '@wigwag/sdk/node': source('sdk', 'node/index.ts'),
        '@wigwag/sdk/raw': source('sdk', 'raw.ts'),
        '@wigwag/sdk/segments': source('sdk', 'segments/index.ts'),
        '@wigwag/sdk/testing': source('sdk', 'testing/index.ts'),
        '@wigwag/sdk': source('sdk'),
        '@wigwag/mcp': source('mcp'),
        '@wigwag/server/testing': source('server', 'testing/index.ts'),
      },
    },
    test: {
      name,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      maxWorkers,
      isolate: false,
      env: { NODE_COMPILE_CACHE },
    },
  })
}

function source(name: string, file = 'index.ts'): string {
  return join(import.meta.dirname, 'packages', name, 'src', file)
}
