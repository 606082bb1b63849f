import { MUTATED } from './mutated.ts'

const here = 'packages/server/test/torture/mutants'

/** Which rules are broken in small ways, one after the other, to see whether their tests notice. */
export default {
  mutate: MUTATED,
  testRunner: 'vitest',
  vitest: { configFile: `${here}/vitest.config.ts`, related: false },
  ignorePatterns: ['.cache', 'assets', 'dist', 'pictures', 'docs/pictures', 'deploy', '*.tsbuildinfo'],
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: process.env.WIGWAG_MUTANTS_REPORT },
  // Not below node_modules, where Node runs no TypeScript.
  tempDirName: '.cache/stryker',
  concurrency: 2,
  disableTypeChecks: true,
}
