import { nodeTooOld } from '@wigwag/contract'
import type { Environment } from './config-snippet.ts'

/** Checks the version first: an older Node would fail with a syntax error that does not name the cause. */
export async function start(args: readonly string[], env: Environment): Promise<void> {
  const refusal = nodeTooOld('wigwag-mcp')
  if (refusal !== undefined) {
    console.error(`${refusal}.`)
    process.exitCode = 1
    return
  }
  const { run } = await import('./cli/index.ts')
  process.exitCode = await run(args, env)
  // Ends the process even if a call is still running after the stop.
  setTimeout(() => process.exit(), 500).unref()
}
