import type { Environment } from './config-snippet.ts'

/** Checks the version first: an older Node would fail with a syntax error that does not name the cause. */
export async function start(args: readonly string[], env: Environment): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18)) {
    console.error(`wigwag-mcp needs Node 22.18 or newer; this is Node ${process.versions.node}.`)
    process.exitCode = 1
    return
  }
  const { run } = await import('./cli/index.ts')
  process.exitCode = await run(args, env)
  // Ends the process even if a call is still running after the stop.
  setTimeout(() => process.exit(), 500).unref()
}
