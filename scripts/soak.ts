/**
 * The tests of money and of sudden death at full length: a minute of load on each engine, and fifty cycles of load,
 * SIGKILL and restart, of gateways and of a carrier over SMPP. Prints what they counted. About twenty minutes.
 *
 *   npm run soak
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const tests = ['packages/server/test/money/money', 'packages/server/test/process']
const env = { ...process.env, WIGWAG_SOAK_SECONDS: '60', WIGWAG_KILL_CYCLES: '50' }
const args = [vitest, 'run', '--project', 'server', '--testTimeout', '1200000', ...tests]

spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).on('close', (code) => {
  process.exitCode = code ?? 1
})
