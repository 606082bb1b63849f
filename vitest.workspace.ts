import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'
import { SUBJECTS } from './scripts/lab/torture/subjects.ts'

const TESTS = '{packages/*/test,scripts/test,examples}/**'
const PROGRAMS = `${TESTS}/*.program.test.ts`
const TORTURE = `${TESTS}/*.torture.test.ts`

const processors = availableParallelism()

/** More than there are processors, since tests also wait, and no more than one PostgreSQL serves well. */
const inProcess = Math.min(processors + 4, 8)

/** Programs wait as well, for browsers and installs. */
const programs = Math.min(processors + 2, 4)

/** Fewer, since a torture starts several programs itself. */
const tortures = Math.min(processors + 1, 4)

const ALONE = Object.values(SUBJECTS).flatMap(({ alone, tests }) => (alone ? tests : []))

/** Tests start Node often. What it has compiled stays here, so that the next start is quicker. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/**
 * The three kinds of tests, told apart by the names of their files. They run one kind after the other, each a few at a
 * time; last, and one at a time, come the tortures that measure real time.
 */
export default [
  project('in-process', {
    include: [`${TESTS}/*.test.ts`],
    exclude: [PROGRAMS, TORTURE],
    maxWorkers: inProcess,
    sequence: { groupOrder: 0 },
  }),
  project('programs', {
    include: [PROGRAMS],
    maxWorkers: programs,
    sequence: { groupOrder: 1 },
    globalSetup: ['packages/server/test/browser/browser.setup.ts'],
  }),
  project('torture', {
    include: [TORTURE],
    exclude: ALONE,
    // At full length a report is made of what they measure.
    maxWorkers: process.env.WIGWAG_TORTURE === 'full' ? 1 : tortures,
    sequence: { groupOrder: 2 },
  }),
  project('torture-alone', { include: ALONE, maxWorkers: 1, sequence: { groupOrder: 3 } }),
]

/**
 * What the kinds have in common. Node itself runs them, on the packages' sources, not on what was built. The files of a
 * kind share workers, each of which loads the sources once: for most files that takes longer than their tests. So a file
 * leaves nothing behind, and a hook that a helper needs is registered by a function that files call.
 */
export function project(name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig {
  return defineProject({
    test: {
      // The end of what hangs, not a bound: on a machine that is slow, several tests share each processor.
      testTimeout: 60_000,
      hookTimeout: 120_000,
      isolate: false,
      experimental: { viteModuleRunner: false, nodeLoader: false },
      execArgv: ['--import', join(import.meta.dirname, 'scripts/test/from-sources.ts')],
      expect: { poll: { timeout: 30_000 } },
      env: { NODE_COMPILE_CACHE },
      ...test,
      name,
    },
  })
}
