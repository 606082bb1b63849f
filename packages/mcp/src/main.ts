#!/usr/bin/env node
/** Checks the runtime first: an older Node would fail on syntax, and say nothing of the cause. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`wigwag-mcp needs Node 22.18 or newer; this is Node ${process.versions.node}.`)
  process.exitCode = 1
} else {
  const { run } = await import('./cli.ts')
  process.exitCode = await run(process.argv.slice(2), process.env)
  // Whatever still holds the process, such as a call that outlasted the stop, has had its time.
  setTimeout(() => process.exit(), 500).unref()
}

export {}
