const here = 'packages/server/test/torture/mutants'

/** Which rules are broken in small ways, one after the other, to see whether their tests notice. */
export default {
  mutate: [
    'packages/contract/src/money.ts',
    'packages/contract/src/text/segments.ts',
    'packages/server/src/domain/{daily-use,ledger,message,rates}.ts',
    'packages/server/src/domain/text/*.ts',
    'packages/server/src/callbacks/plan.ts',
    'packages/mcp/src/gate/spending-rules.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: `${here}/vitest.config.ts`, related: false },
  ignorePatterns: ['.cache', 'assets', 'dist', 'pictures', 'docs', 'deploy', '*.tsbuildinfo'],
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: process.env.WIGWAG_MUTANTS_REPORT },
  // Not below node_modules, where Node runs no TypeScript.
  tempDirName: '.cache/stryker',
  concurrency: 2,
  disableTypeChecks: true,
}
