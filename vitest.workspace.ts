import { join } from 'node:path'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

/** The projects of the workspace, each with its own folder of tests. */
export default ['packages/contract', 'packages/sdk', 'packages/server', 'packages/mcp', 'scripts', 'examples']

/** What the projects have in common: tests see the packages' sources, as the type check does, not what was built. */
export function project(name: string): UserWorkspaceConfig {
  return defineProject({
    resolve: {
      alias: {
        '@wigwag/contract': source('contract'),
        // Before the package that it is a part of: the first that fits is taken.
        '@wigwag/sdk/node': source('sdk', 'node/index.ts'),
        '@wigwag/sdk': source('sdk'),
        '@wigwag/mcp': source('mcp'),
        '@wigwag/server/testing': source('server', 'testing/index.ts'),
      },
    },
    test: { name, testTimeout: 30_000, hookTimeout: 60_000, maxWorkers: 2 },
  })
}

function source(name: string, file = 'index.ts'): string {
  return join(import.meta.dirname, 'packages', name, 'src', file)
}
