import { spawn } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { eventually } from '../../packages/server/test/support/eventually.ts'

const root = join(import.meta.dirname, '../..')
const main = pathToFileURL(join(root, 'packages/server/dist/main.js')).href
const PROGRAM = `#!/usr/bin/env node\nimport ${JSON.stringify(main)}\n`

/** A clone that has nothing to install, with the program that was built here, and a project that installed it. */
let clone: string
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'wigwag-below-npm-'))
  const { name, type, scripts } = manifest
  await write('package.json', JSON.stringify({ name, type, scripts }))
  await write('package-lock.json', JSON.stringify({ name, lockfileVersion: 3, packages: { '': { name } } }))
  await write('packages/server/src/main.ts', '')
  await write('packages/server/dist/main.js', PROGRAM)
  await write('shop/package.json', '{ "type": "module" }')
  await write('shop/node_modules/.bin/wigwag', PROGRAM)
  await chmod(join(clone, 'shop/node_modules/.bin/wigwag'), 0o755)
  await mkdir(join(clone, 'scripts'))
  for (const script of ['setup.mjs', 'free-place.mjs']) {
    await copyFile(join(root, 'scripts', script), join(clone, 'scripts', script))
  }
  await write(
    'scripts/build.ts',
    "await (await import('node:fs/promises')).mkdir('packages/server/assets/console', { recursive: true })",
  )
})
afterAll(() => rm(clone, { recursive: true, force: true }))

describe('a gateway that npm started', () => {
  it.each([
    ['npm start', '.'],
    ['npx wigwag serve', 'shop'],
  ])('stops when %s is told to', async (command, folder) => {
    const { child, output, ended } = run(command, { WIGWAG_PORT: '0' }, folder)
    const url = await eventually('it listens', () => /listening on (\S+)/.exec(output())?.[1])
    child.kill('SIGTERM')
    // Ends when the last process that can write to it has ended.
    await ended
    expect(output()).toContain('Stopping …')
    await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed')
  })
})

describe('a port that is taken', () => {
  const SENTENCE = /^wigwag: something else listens on 127\.0\.0\.1:(\d+); .* npm start -- --port \d+$/m

  it.each([
    ['in the environment', (port: string) => run('npm start', { WIGWAG_PORT: port })],
    ['as a flag', (port: string) => run(`npm start -- --port ${port}`)],
  ])('%s is said before anything is installed, with the flag for another', async (_, start) => {
    await write('packages/server/package.json', JSON.stringify({ dependencies: { wave: '1.0.0' } }))
    onTestFinished(() => rm(join(clone, 'packages/server/package.json')))
    const port = await taken()
    const { output, ended } = start(port)
    expect(await ended).toBe(1)
    expect(SENTENCE.exec(output())?.[1]).toBe(port)
    expect(output()).not.toContain('Installing')
  })

  it('in .env is said too', async () => {
    const port = await taken()
    await write('.env', `WIGWAG_PORT=${port}\n`)
    onTestFinished(() => rm(join(clone, '.env')))
    const { output, ended } = run('npm start')
    expect(await ended).toBe(1)
    expect(SENTENCE.exec(output())?.[1]).toBe(port)
  })
})

/** Starts a command in the clone, in a group of its own, which ends with the test whatever the command leaves behind. */
function run(command: string, env: Record<string, string> = {}, folder = '.') {
  const [program = '', ...args] = command.split(' ')
  const child = spawn(program, args, {
    cwd: join(clone, folder),
    env: { ...process.env, npm_config_offline: 'true', WIGWAG_DATABASE_URL: ':memory:', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  onTestFinished(async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // All of the group have ended.
    }
    await ended
  })
  return { child, output: () => output, ended }
}

function taken(): Promise<string> {
  const server = createServer()
  onTestFinished(() => void server.close())
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address) resolve(String(address.port))
    })
  })
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(join(clone, file, '..'), { recursive: true })
  await writeFile(join(clone, file), content)
}
