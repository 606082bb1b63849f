#!/usr/bin/env node
import { nodeTooOld } from '@wigwag/contract'

// Before anything native is loaded: an older Node would crash without a message.
const refusal = nodeTooOld('wigwag')
if (refusal === undefined) {
  const { run } = await import('./cli/program.ts')
  process.exitCode = await run(process.argv)
} else {
  console.error(`${refusal}, or run it inside a clone of the project with npm start, which brings its own.`)
  process.exitCode = 1
}
