import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaints } from '../../packages/sdk/test/package/scratch.ts'
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

const PROGRAM = `
import { createGate } from '@wigwag/mcp'
import { createClient, type Status } from '@wigwag/sdk'
import { createSandbox } from '@wigwag/server/testing'

const { client, clock, credentials, fetch, close } = await createSandbox()
const sms = createClient({ ...credentials, baseUrl: 'http://sandbox.invalid', fetch })
// @ts-expect-error: a message has a recipient
const wrong = () => client.sendSms({ From: 'WIGWAG', Content: 'Hello' })
const { Ticket } = await sms.sendSms({ From: 'WIGWAG', To: '+233 24 123 4567', Content: 'Hello' })
await clock.advance('1m')
const status: Status = (await sms.getTransactionStatus(Ticket)).Status
await close()
console.log(status, typeof createGate, typeof wrong)
`

describe('in a project outside of the clone, where the packed packages are installed', () => {
  let shop: string
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wigwag-packed-'))
    shop = join(folder, 'shop')
    const packed = join(folder, 'packed')
    await run(process.execPath, [join(root, 'scripts/pack.ts'), packed], { cwd: root, env: offline })
    await mkdir(shop)
    await writeFile(join(shop, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }')
    await install(await readdir(packed), packed)
  })
  afterAll(() => rm(join(shop, '..'), { recursive: true, force: true }))

  /** As npm does, with what it would fetch from where it is installed already. */
  async function install(tarballs: readonly string[], packed: string): Promise<void> {
    expect(tarballs.map((name) => name.replace(/-\d.*/, ''))).toEqual([
      'wigwag-conform',
      'wigwag-mcp',
      'wigwag-sdk',
      'wigwag-server',
      'wigwag-smpp',
    ])
    const scope = join(shop, 'node_modules/@wigwag')
    await mkdir(scope, { recursive: true })
    for (const tarball of tarballs) {
      const [, name = ''] = /^wigwag-(\w+)/.exec(tarball) ?? []
      await run('tar', ['-xzf', join(packed, tarball)], { cwd: scope })
      await rename(join(scope, 'package'), join(scope, name))
      const own = join(root, 'packages', name, 'node_modules')
      if (existsSync(own)) await symlink(own, join(scope, name, 'node_modules'), 'junction')
    }
    for (const name of await readdir(join(root, 'node_modules')))
      if (name !== '@wigwag' && !name.startsWith('.'))
        await symlink(join(root, 'node_modules', name), join(shop, 'node_modules', name), 'junction')
  }

  it('a program uses all of them, and is checked against their types', async () => {
    await writeFile(join(shop, 'program.ts'), PROGRAM)
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: shop })
    expect(stdout).toBe('success function function\n')
    const options = { module: 'nodenext', types: ['node'] }
    expect(await complaints(shop, ['program.ts'], options)).toBe('')
  })
})
