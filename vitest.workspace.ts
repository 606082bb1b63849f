import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

const TESTS = '{packages/*/test,scripts/test,examples}/**'
const PROGRAMS = `${TESTS}/*.program.test.ts`
const TORTURE = `${TESTS}/*.torture.test.ts`

const processors = availableParallelism()

/** Two more than there are processors, since tests also wait, and no more than one PostgreSQL serves well. */
const inProcess = Math.min(processors + 2, 8)

/** A program waits as long as it works. */
const programs = Math.min(processors, 2)

/** Tests start Node often. What it has compiled stays here, so that the next start is quicker. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/**
 * The three kinds of tests, told apart by the names of their files. They run one kind after the other: those in process
 * share the machine, programs share it with one other, and what must last or keep to a time has it for itself.
 */
export default [
  project('in-process', {
    include: [`${TESTS}/*.test.ts`],
    exclude: [PROGRAMS, TORTURE],
    maxWorkers: inProcess,
    sequence: { groupOrder: 0 },
  }),
  project('programs', { include: [PROGRAMS], maxWorkers: programs, sequence: { groupOrder: 1 } }),
  project('torture', { include: [TORTURE], maxWorkers: 1, sequence: { groupOrder: 2 } }),
]

/**
 * What the kinds have in common. Tests see the packages' sources, as the type check does, not what was built. The
 * files of a kind share workers, each of which loads the sources once: for most files that takes longer than their
 * tests. So a file leaves nothing behind, and a hook that a helper needs is registered by a function that files call.
 */
export function project(name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig {
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
      testTimeout: 30_000,
      hookTimeout: 60_000,
      isolate: false,
      expect: { poll: { timeout: 30_000 } },
      env: { NODE_COMPILE_CACHE },
      ...test,
      name,
    },
  })
}

function source(name: string, file = 'index.ts'): string {
  return join(import.meta.dirname, 'packages', name, 'src', file)
}
