/**
 * Runs the tests. `npm test` checks the whole promise in process, on both engines, and a few programs; the
 * rest takes as long again.
 *
 *   npm test                        the promise
 *   npm test -- --fast              without the programs
 *   npm test -- --dear              and which tests took the most processor time
 *   npm test -- -t 'charges once'   what else vitest takes
 *   npm run test:all                the rest: the other programs, browsers, installs and compilers
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'

const KINDS: Record<string, readonly string[]> = {
  first: ['in-process', 'first-steps'],
  rest: ['programs'],
}
const [kind = '', ...given] = process.argv.slice(2)
const projects = KINDS[kind]
if (!projects) {
  console.error(`Expected one of ${Object.keys(KINDS).join(', ')}; got ${kind || 'nothing'}.`)
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const OURS = ['--fast', '--dear']
const [isFast, isDear] = OURS.map((flag) => given.includes(flag))
const run = isFast ? projects.filter((name) => name !== 'first-steps') : projects
const child = spawn(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...run.flatMap((name) => ['--project', name]),
    ...(isDear ? ['--reporter=default', `--reporter=${join(root, 'scripts/test/dear/reporter.ts')}`] : []),
    ...given.filter((argument) => !OURS.includes(argument)),
  ],
  { cwd: root, stdio: 'inherit' },
)
// A terminal sends its Ctrl-C to both.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill())
child.once('close', (status, signal) => {
  process.exitCode = status ?? 128 + (signal ? constants.signals[signal] : 0)
})
