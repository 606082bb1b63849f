import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openGateway } from '../fixtures/gateway.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'
import { freshState, startAssistant, startProgram } from '../fixtures/process.ts'

const CREDENTIALS = {
  WIGWAG_BASE_URL: 'http://127.0.0.1:1',
  WIGWAG_CLIENT_ID: 'acme',
  WIGWAG_CLIENT_SECRET: 'a-secret-value',
  WIGWAG_WALLET_TOKEN: 'a-wallet-token',
}
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
const BALANCE = (id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_balance' } })

describe('wigwag-mcp', () => {
  it('serves the ten tools to an assistant, with its instructions', async () => {
    const { env } = await openGateway()
    const { mcp, errors } = await startAssistant({ ...env, WIGWAG_MCP_STATE: freshState() })
    expect((await mcp.listTools()).tools).toHaveLength(10)
    expect(mcp.getServerVersion()).toMatchObject({ name: 'wigwag', version: packageJson.version })
    expect(mcp.getInstructions()).toContain('spend real money')
    await mcp.ping()
    expect(errors).toEqual([])
  })

  it('exits with 0 when the client leaves, after its calls have finished', async () => {
    const { env, sandbox } = await openGateway((request, gateway) => {
      if (isSend(request)) child.stdin.end()
      return gateway(request)
    })
    const state = freshState()
    const { child, write, read, ended } = startProgram({ ...env, WIGWAG_MCP_STATE: state })
    write(INITIALIZE)
    await read()
    const params = { name: 'send_sms', arguments: MESSAGE }
    write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
    expect(readFileSync(state, 'utf8')).toContain('"outcome":"sent"')
  })

  it('exits with 0 on SIGTERM', async () => {
    const { env } = await openGateway()
    const { child, write, read, ended } = startProgram({ ...env, WIGWAG_MCP_STATE: freshState() })
    write(INITIALIZE)
    await read()
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it.each([
    ['not JSON', 'hello'],
    ['not a message', '{"jsonrpc":"1.0"}'],
    ['a batch', `[${BALANCE(1)}]`],
    ['too long', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(5 * 1_048_576)}"}}`],
  ])('says that a line is %s, and serves the next', async (_name, line) => {
    const { env } = await openGateway()
    const { write, read } = startProgram({ ...env, WIGWAG_MCP_STATE: freshState() })
    write(line)
    expect(await read()).toMatchObject({ error: { code: -32_700 } })
    write(BALANCE(2))
    expect(await read()).toMatchObject({ id: 2, result: { structuredContent: { balance: 100 } } })
  })

  it('takes limits from flags, which override the environment', async () => {
    const gateway = await openGateway()
    const env = { ...gateway.env, WIGWAG_MCP_DAILY_SPEND: '5', WIGWAG_MCP_STATE: freshState() }
    const { call } = await startAssistant(env, ['--daily-spend', '0.001'])
    expect((await call('send_sms', MESSAGE)).text).toContain('0.001 is left of the 0.001')
  })

  it('only reads without a limit on spend, and says so once', async () => {
    const { env } = await openGateway()
    const { WIGWAG_MCP_DAILY_SPEND: _, ...others } = env
    const unlimited = { ...others, WIGWAG_MCP_STATE: freshState() }
    const { names, call } = await startAssistant(unlimited)
    expect(await names()).toHaveLength(7)
    expect((await call('send_sms', MESSAGE)).text).toContain('with a limit on spend (WIGWAG_MCP_DAILY_SPEND)')
    const { child, ended } = startProgram(unlimited)
    child.stdin.end()
    const { stderr } = await ended
    expect(stderr.split('\n').filter((line) => line.includes('no limit on spend is set'))).toHaveLength(1)
    const quiet = startProgram(unlimited, ['--read-only'])
    quiet.child.stdin.end()
    expect((await quiet.ended).stderr).toBe('')
  })

  it('sends without a limit where unlimited says so', async () => {
    const { env } = await openGateway()
    const { call } = await startAssistant({ ...env, WIGWAG_MCP_STATE: freshState() }, [
      '--daily-spend',
      'unlimited',
    ])
    expect(await call('send_sms', MESSAGE)).toMatchObject({ isError: false })
  })

  it('serves only the tools that read with --read-only', async () => {
    const gateway = await openGateway()
    const { names } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: freshState() }, [
      '--read-only',
    ])
    expect(await names()).toHaveLength(7)
  })

  it('prints a configuration whose command starts it from any folder, in a clone too', async () => {
    const { code, stdout } = await startProgram(CREDENTIALS, ['config', '--client', 'cursor']).ended
    expect(code).toBe(0)
    const { command, args, env } = JSON.parse(stdout).mcpServers.wigwag
    expect(env).toEqual({ ...CREDENTIALS, WIGWAG_MCP_DAILY_SPEND: '5' })
    const version = execFileSync(command, [...args, '--version'], { cwd: tmpdir(), encoding: 'utf8' })
    expect(version).toBe(`${packageJson.version}\n`)
  })
})

describe('a start', () => {
  it.each([
    ['no credentials', {}, [], 'missing: WIGWAG_BASE_URL, WIGWAG_CLIENT_ID'],
    ['an unknown flag', CREDENTIALS, ['--limitless'], '--limitless'],
    ['a spend that is not an amount', CREDENTIALS, ['--daily-spend', 'lots'], 'got "lots"'],
    ['an empty limit', { ...CREDENTIALS, WIGWAG_MCP_DAILY_SPEND: '' }, [], 'got ""'],
    ['half a message', CREDENTIALS, ['--daily-messages', '1.5'], "got '1.5'"],
    ['a name as a recipient', CREDENTIALS, ['--recipients', '23324*,mum'], 'got "mum"'],
    ['a recipient too short to exist', CREDENTIALS, ['--recipients', '23324'], 'numbers of 7 to 15 digits'],
    ['recipients that name none', CREDENTIALS, ['--recipients', ' , '], 'numbers of 7 to 15 digits'],
    ['HTTP and neither sign-in nor --unprotected', CREDENTIALS, ['--http'], '--unprotected'],
    [
      'HTTP for the whole network',
      CREDENTIALS,
      ['--http', '--unprotected', '--host', '0.0.0.0'],
      "got '0.0.0.0'",
    ],
    ['an address that is not a URL', {}, ['config', '--client', 'cursor', '--url', 'x'], "got 'x'"],
    ['a client that is not known', CREDENTIALS, ['config', '--client', 'emacs'], 'claude-code'],
    [
      'a client that has no links',
      CREDENTIALS,
      ['config', '--client', 'claude-code', '--link'],
      'cursor, vscode with --link',
    ],
  ])('with %s exits with 2 and says what was expected', async (_name, env, args, expected) => {
    const { code, stdout, stderr } = await startProgram(env, args).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(expected)
  })

  it.each([
    ['to serve', []],
    ['to serve over HTTP', ['--http', '--unprotected', '--port', '0']],
    ['to print a configuration', ['config', '--client', 'claude-code']],
    [
      'to sign in there',
      ['config', '--client', 'cursor', '--url', 'https://user:a-password@sms.example.com/mcp'],
    ],
    ['to serve those who sign in', ['--http', '--public-url', 'https://mcp.example.com/mcp']],
    ['as its own address', ['--http', '--public-url', 'https://user:a-password@mcp.example.com/mcp']],
  ])('with a password in an address, %s, exits with 2 and does not print it', async (_name, args) => {
    for (const address of [
      'https://user:a-password@sms.example.com',
      'https//user:a-password@sms.example.com',
    ]) {
      const connector = { WIGWAG_CONNECTOR_ID: 'id', WIGWAG_CONNECTOR_SECRET: 'secret' }
      const env = { ...CREDENTIALS, ...connector, WIGWAG_BASE_URL: address }
      const { code, stdout, stderr } = await startProgram(env, args).ended
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/Expected (?:WIGWAG_BASE_URL|--url|--public-url) to be/)
      expect(stderr).not.toContain('a-password')
    }
  })

  it('with wrong credentials exits with 1, and prints no secret', async () => {
    const { env } = await openGateway()
    const wrong = { ...env, WIGWAG_CLIENT_SECRET: 'a-secret-value' }
    const { code, stdout, stderr } = await startProgram({ ...wrong, WIGWAG_MCP_STATE: freshState() }).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('refused the credentials (invalid_credentials)')
    expect(stderr).not.toMatch(/a-secret-value|a-wallet-token/)
  })
})
