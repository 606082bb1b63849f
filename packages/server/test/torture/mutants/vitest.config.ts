import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vitest/config'
import { project } from '../../../../../vitest.workspace.ts'

/** The tests that mutants meet: those of the rules themselves. Each mutant runs those that reach it. */
export default mergeConfig(
  project('mutants', {
    // With files that share a worker, only one of them would be seen to reach a mutant.
    isolate: true,
    include: [
      'packages/contract/test/*.test.ts',
      'packages/sdk/test/segments.test.ts',
      'packages/server/test/domain/{csv,daily-use,failure-reasons,fields,ledger,message,rates,segments,text-count}.test.ts',
      'packages/server/test/callbacks/after-attempt.test.ts',
      'packages/mcp/test/gate/spending-rules.test.ts',
    ],
  }),
  { root: fileURLToPath(new URL('../../../../..', import.meta.url)) },
)
