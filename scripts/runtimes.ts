/**
 * Runs the packed SDK on every Node that it promises to support. Node 20 and 22 are 150 MB each, so they do not come
 * with the install: this puts them into .cache/runtimes, once, where the tests find them from then on.
 *
 * It also runs the receivers of the README on Next and Nest: see runtimes/receivers.ts.
 *
 *   npm run runtimes
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkReceivers } from './runtimes/receivers.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, '.cache', 'runtimes')
const platform = process.platform === 'win32' ? 'win' : process.platform
const runtimes = [20, 22].map((major) => `node${major}@npm:node-${platform}-${process.arch}@${major}`)

mkdirSync(folder, { recursive: true })
run('npm', [
  'install',
  '--prefix',
  folder,
  '--no-save',
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  ...runtimes,
])
run(process.execPath, [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--project',
  'sdk',
  '--reporter',
  'verbose',
  'packages/sdk/test/package',
])

await checkReceivers()

function run(command: string, args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
