/** The program of the one-click bundle: the connector over stdio, with what a person filled in at the host. */
import { readFilledIn } from './filled-in.ts'
import { start } from './start.ts'

const filled = readFilledIn(process.env)
if ('problem' in filled) {
  console.error(`wigwag-mcp: ${filled.problem}`)
  process.exitCode = 2
} else {
  await start(filled.args, filled.env)
}
