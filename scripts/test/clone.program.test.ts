import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import server from '../../packages/server/package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const offline = { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error' }

describe('in a clone, where nothing is fetched for it', () => {
  it.each(['@wigwag/server', '@wigwag/mcp', 'wigwag', 'wigwag-mcp'])(
    'npx %s runs what was built',
    async (name) => {
      const { stdout } = await run('npx', ['-y', name, '--version'], { cwd: root, env: offline })
      expect(stdout).toBe(`${server.version}\n`)
    },
  )
})

/** What a program of the project can do then. */
const SENDS = `
const { createClient } = await import('@wigwag/sdk')
createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })`
const TESTS = `
const { createSandbox } = await import('@wigwag/server/testing')
const { client, close } = await createSandbox()
await client.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello' })
await close()`
const CONNECTS = `
const { createGate } = await import('@wigwag/mcp')
if (typeof createGate !== 'function') throw new Error('there is no gate')`

/** What the pages say until the first release. It works after it too. */
const ALL = ['npm install ../wigwag/packages/sdk ../wigwag/packages/mcp ../wigwag/packages/server']

describe('in a project beside a clone', () => {
  it.each([
    ['README.md', SENDS],
    ['packages/sdk/README.md', SENDS],
    ['packages/server/README.md', TESTS],
    ['packages/mcp/README.md', CONNECTS],
  ])('the command of %s takes what the project then imports', { timeout: 60_000 }, async (page, program) => {
    const [command] = /npm install \.\.\/wigwag\/[^`]+/.exec(await readFile(join(root, page), 'utf8')) ?? ALL
    const folder = await mkdtemp(join(tmpdir(), 'wigwag-beside-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const cwd = join(folder, 'shop')
    await mkdir(cwd)
    await symlink(root, join(folder, 'wigwag'), 'junction')
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ name: 'shop', private: true }))
    await writeFile(join(cwd, 'program.mjs'), program)
    await run('bash', ['-c', `${command} --no-audit --no-fund`], { cwd, env: offline })
    await run(process.execPath, ['program.mjs'], { cwd })
  })
})
