#!/usr/bin/env node
/** Checks Node's version before anything native is loaded: an older one would crash without a message. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `wigwag needs Node 22.18 or newer; this is Node ${process.versions.node}. Install a newer one from nodejs.org, ` +
      'or run it inside a clone of the project with npm start, which brings its own.',
  )
  process.exitCode = 1
} else {
  const { run } = await import('./cli/program.ts')
  process.exitCode = await run(process.argv)
}

export {}
