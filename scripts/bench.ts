/**
 * Measures the gateway side by side with a bare Hono echo, in one run on one machine, and prints ratios: absolute
 * figures say more about the machine. Run it on a quiet one.
 *
 *   npm run bench                 everything, about nine minutes
 *   npm run bench -- accept       one part: accept, sustained, bulk, growth, start, sdk, connector or
 *                                 sign-in
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accept } from './bench/accept.ts'
import { bulk } from './bench/bulk.ts'
import { connector } from './bench/connector.ts'
import { growth } from './bench/growth.ts'
import { sdk } from './bench/sdk.ts'
import { signIn } from './bench/sign-in.ts'
import { start } from './bench/start.ts'
import { sustained } from './bench/sustained.ts'

const parts = { start, accept, bulk, sustained, growth, sdk, connector, 'sign-in': signIn }
const asked = process.argv.slice(2).filter((name) => name in parts)
const chosen = Object.entries(parts).filter(([name]) => asked.length === 0 || asked.includes(name))

for (const [name, measure] of chosen) {
  const folder = await mkdtemp(join(tmpdir(), `wigwag-bench-${name}-`))
  try {
    console.log(`\n${name}`)
    for (const { what, figure, goal } of await measure(folder)) {
      console.log(`  ${what.padEnd(66)} ${figure.padStart(12)}   ${goal}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
