import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'
import { SUBJECTS } from './scripts/lab/torture/subjects.ts'

const TESTS = '{packages/*/test,scripts/test}/**'
const PROGRAMS = `${TESTS}/*.{program,compiler}.test.ts`
const TORTURE = `${TESTS}/*.torture.test.ts`

/**
 * Programs of `npm test`: a browser in the console and at the desk, and the packed SDK at a started gateway.
 */
const FIRST_STEPS = [
  'packages/server/test/browser/console/first-run.program.test.ts',
  'packages/server/test/browser/desk/night.program.test.ts',
  'packages/sdk/test/package/package.program.test.ts',
]

const processors = availableParallelism()

/** One more than there are processors, since tests also wait. Each loads all sources, which takes ten seconds of one. */
const inProcess = Math.min(processors + 1, 8)

/** Programs wait as well, for browsers and installs. */
const programs = Math.min(processors + 2, 4)

/** Fewer, since a torture starts several programs itself. */
const tortures = Math.min(processors + 1, 4)

const ALONE = Object.values(SUBJECTS).flatMap(({ alone, tests }) => (alone ? tests : []))

/** Tests start Node often. Compiled code stays here, so that the next start is quicker. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/**
 * The kinds of tests, told apart by the names of their files. They run one kind after the other, each a few at a time; last,
 * and one at a time, come the tortures that measure real time.
 */
export default [
  project('in-process', {
    include: [`${TESTS}/*.test.ts`],
    exclude: [PROGRAMS, TORTURE],
    maxWorkers: inProcess,
    sequence: { groupOrder: 0 },
  }),
  ...[
    { name: 'first-steps', include: FIRST_STEPS },
    { name: 'programs', include: [PROGRAMS], exclude: FIRST_STEPS },
  ].map(({ name, ...files }) =>
    project(name, {
      ...files,
      maxWorkers: programs,
      sequence: { groupOrder: 1 },
      globalSetup: ['packages/server/test/browser/browser.setup.ts'],
    }),
  ),
  project('torture', {
    include: [TORTURE],
    exclude: ALONE,
    // At full length a report is made of what they measure.
    maxWorkers: process.env.TORTURE === 'full' ? 1 : tortures,
    sequence: { groupOrder: 2 },
  }),
  project('torture-alone', { include: ALONE, maxWorkers: 1, sequence: { groupOrder: 3 } }),
]

/**
 * The options of all kinds. Node itself runs the tests, on the packages' sources instead of built files. The
 * files of a kind share workers, each of which loads the sources once: for most files that takes longer than
 * their tests. So a file leaves nothing behind, and a hook that a helper needs is registered by a function
 * that files call.
 */
export function project(name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig {
  return defineProject({
    test: {
      // Ends tests that hang, and judges no speed: on a slow machine, tests share a processor with much else.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      isolate: false,
      experimental: { viteModuleRunner: false, nodeLoader: false },
      execArgv: ['--import', join(import.meta.dirname, 'scripts/test/from-sources.ts')],
      expect: { poll: { timeout: 300_000 } },
      env: { NODE_COMPILE_CACHE },
      setupFiles: ['dear/measure.ts', 'seed.ts'].map((file) =>
        join(import.meta.dirname, 'scripts/test', file),
      ),
      ...test,
      name,
    },
  })
}
