import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaints } from '../../packages/sdk/test/package/scratch.ts'
import server from '../../packages/server/package.json' with { type: 'json' }
import { installPacked } from './guides/project.ts'

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
    shop = await mkdtemp(join(tmpdir(), 'wigwag-packed-'))
    const tarballs = await installPacked(shop)
    expect(tarballs.map((name) => name.replace(/-\d.*/, ''))).toEqual([
      'wigwag-conform',
      'wigwag-mcp',
      'wigwag-sdk',
      'wigwag-server',
      'wigwag-smpp',
    ])
    await writeFile(join(shop, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }')
  })
  afterAll(() => rm(shop, { recursive: true, force: true }))

  it('a program uses all of them, and is checked against their types', async () => {
    await writeFile(join(shop, 'program.ts'), PROGRAM)
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: shop })
    expect(stdout).toBe('success function function\n')
    const options = { module: 'nodenext', types: ['node'] }
    expect(await complaints(shop, ['program.ts'], options)).toBe('')
  })
})
