import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { toolCatalogue } from '@wigwag/mcp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import serverJson from '../../server.json' with { type: 'json' }
import { connectAssistant } from '../fixtures/assistant.ts'
import { openGateway } from '../fixtures/gateway.ts'
import { MESSAGE } from '../fixtures/message.ts'
import { freshFolder } from '../fixtures/process.ts'
import { faultsOf } from '../fixtures/published-schema.ts'
import { type Filled, type Manifest, makeBundle, type Start, startOf, unpack } from './host.ts'

let folder: string
let bundle: Buffer
let manifest: Manifest
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wigwag-bundle-'))
  bundle = makeBundle(join(folder, 'made'))
  manifest = unpack(bundle, join(folder, 'unpacked'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const started = (filled: Filled) => startOf(manifest, join(folder, 'unpacked'), filled)

/** A gateway, and what a person has to fill in for it. */
async function open() {
  const { env, home, sandbox } = await openGateway()
  const filled = {
    base_url: env.WIGWAG_BASE_URL ?? '',
    client_id: env.WIGWAG_CLIENT_ID ?? '',
    client_secret: env.WIGWAG_CLIENT_SECRET ?? '',
    wallet_token: env.WIGWAG_WALLET_TOKEN ?? '',
  }
  const connect = (more: Filled = {}) => {
    const { args, env } = started({ ...filled, ...more })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env: { ...env, HOME: home },
      stderr: 'ignore',
    })
    return connectAssistant(transport)
  }
  return { sandbox, filled, connect }
}

describe('the one-click bundle', () => {
  it('has a manifest that fits the published schema', () => {
    expect(faultsOf(manifest, 'mcpb-manifest-0.3.schema.json')).toEqual([])
    // The schema takes a manifest without it; hosts do not.
    expect(manifest).toMatchObject({ manifest_version: '0.3', name: 'wigwag', version: packageJson.version })
  })

  it('contains the files that its manifest names, and a licence for each package in its program', () => {
    const files = readdirSync(join(folder, 'unpacked'))
    expect(files.sort()).toEqual([
      'LICENSE',
      'THIRD-PARTY-NOTICES.txt',
      'icon.png',
      'manifest.json',
      'server',
    ])
    const read = (path: string) => readFileSync(join(folder, 'unpacked', path))
    expect(read(manifest.server.entry_point).toString()).toContain('Serves ten tools')
    const icon = read(manifest.icon)
    expect(icon.subarray(1, 4).toString()).toBe('PNG')
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512])
    const notices = read('THIRD-PARTY-NOTICES.txt').toString()
    for (const name of ['@modelcontextprotocol/server', 'ajv', 'content-type', 'openapi-fetch', 'zod']) {
      expect(notices).toContain(`\n${name}\n`)
    }
  })

  it('is the same to the byte when it is made again, in another time zone', () => {
    expect(makeBundle(freshFolder(), { TZ: 'Asia/Tokyo' }).equals(bundle)).toBe(true)
  })

  it('asks for every variable that the registry is told of, and stores the secrets as secrets', () => {
    const { env } = manifest.server.mcp_config
    const asked = Object.fromEntries(
      Object.entries(env).map(([name, text]) => [name, manifest.user_config[text.slice(14, -1)]]),
    )
    const listed = serverJson.packages[0]?.environmentVariables ?? []
    // Where sends are counted, each host may leave to the connector.
    const names = listed.map(({ name }) => name).filter((name) => name !== 'WIGWAG_MCP_STATE')
    expect(Object.keys(asked).sort()).toEqual([...names, 'WIGWAG_MCP_READ_ONLY'].sort())
    for (const { name, isSecret } of listed.filter((variable) => names.includes(variable.name))) {
      expect([name, asked[name]?.sensitive ?? false]).toEqual([name, isSecret ?? false])
    }
  })

  it('has a default for each field that may be left out, because hosts pass the others unreplaced', () => {
    for (const [key, field] of Object.entries(manifest.user_config)) {
      expect([key, field.required || field.default !== undefined]).toEqual([key, true])
    }
  })
})

describe('the bundle in an assistant', () => {
  it('lists what its manifest says and reads the balance, with only the required fields filled in', async () => {
    const { connect } = await open()
    const { mcp, names, call, errors } = await connect()
    expect(await names()).toEqual(toolCatalogue.map(({ name }) => name))
    expect(manifest.tools.map(({ name }) => name)).toEqual(await names())
    expect(await names()).toHaveLength(10)
    // A manifest lists only prompts whose text is fixed. It says of others that there are some.
    const hasPrompts = mcp.getServerCapabilities()?.prompts !== undefined
    expect(manifest.prompts_generated ?? false).toBe(hasPrompts)
    expect(await call('get_balance')).toMatchObject({ isError: false, data: { currency: 'GHS' } })
    expect(errors).toEqual([])
  })

  it('keeps the limits that a person typed', async () => {
    const { connect } = await open()
    const { call } = await connect({ daily_messages: 1, recipients: MESSAGE.to })
    expect((await call('send_sms', { ...MESSAGE, to: '233209999999' })).text).toContain('may send to')
    expect(await call('send_sms', MESSAGE)).toMatchObject({ isError: false })
    expect((await call('send_sms', { ...MESSAGE, content: 'Another' })).text).toContain(
      'may send 1 message a day',
    )
  })

  it('has limits when a person typed none', async () => {
    const { filled } = await open()
    const { env } = started(filled)
    expect([env.WIGWAG_MCP_DAILY_SPEND, env.WIGWAG_MCP_DAILY_MESSAGES]).toEqual(['5', '50'])
  })

  it('takes a spend with a fraction, as hosts write numbers', async () => {
    const { connect } = await open()
    const { call } = await connect({ daily_spend: 0.01 })
    expect((await call('send_sms', MESSAGE)).text).toContain('0.01 that this connection may spend a day')
  })

  it('only reads when a person chose that', async () => {
    const { connect } = await open()
    const { names } = await connect({ read_only: true })
    expect(await names()).not.toContain('send_sms')
  })
})

describe('a field of the bundle', () => {
  const CREDENTIALS = {
    base_url: 'http://127.0.0.1:1',
    client_id: 'a',
    client_secret: 'b',
    wallet_token: 'c',
  }

  /** Starts the bundle without an assistant: it ends as soon as it finds that its input is closed. */
  function outcome({ args, env }: Start) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env: { ...env, HOME: folder },
      encoding: 'utf8',
      input: '',
    })
    return { status, stdout, stderr }
  }

  it.each(['recipients', 'unasked'])('that may be empty counts as not set: %s', (key) => {
    expect(outcome(started({ ...CREDENTIALS, [key]: '' }))).toMatchObject({ status: 0, stdout: '' })
  })

  it.each([
    ['daily_spend', 'WIGWAG_MCP_DAILY_SPEND'],
    ['daily_messages', 'WIGWAG_MCP_DAILY_MESSAGES'],
    ['read_only', 'WIGWAG_MCP_READ_ONLY'],
    ['client_secret', 'WIGWAG_CLIENT_SECRET'],
  ])('that must be filled in stops the program when it is empty: %s', (key, name) => {
    const { status, stderr } = outcome(started({ ...CREDENTIALS, [key]: '' }))
    expect(status).toBe(2)
    expect(stderr).toContain(name)
  })

  it.each(['null', 'undefined', '1e21', 'NaN'])('never becomes unlimited: a spend of %s', (text) => {
    expect(outcome(started({ ...CREDENTIALS, daily_spend: text })).status).toBe(2)
  })

  it('that the host did not replace stops the program, with the name of the field', () => {
    const { args, env } = started(CREDENTIALS)
    for (const name of Object.keys(env)) {
      const text = manifest.server.mcp_config.env[name] ?? ''
      const { status, stderr } = outcome({ args, env: { ...env, [name]: text } })
      expect([name, status]).toEqual([name, 2])
      expect(stderr).toContain(`Expected a value for ${name}; got '${text}'`)
    }
  })
})
