import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { post } from '../fixtures/assistant.ts'
import { freshState, startProgram } from '../fixtures/process.ts'
import { startSignInConnector } from '../sign-in/running-connector.ts'
import { openStandIn } from '../sign-in/stand-in.ts'

const CREDENTIALS = {
  WIGWAG_BASE_URL: 'https://sms.example.com',
  WIGWAG_CONNECTOR_ID: 'an-id',
  WIGWAG_CONNECTOR_SECRET: 'a-secret-value',
}
const PUBLIC = ['--public-url', 'https://mcp.example.com/mcp']

describe('wigwag-mcp --http --public-url', () => {
  it.each([
    [
      'nothing in the environment',
      {},
      ['--http', ...PUBLIC],
      'missing: WIGWAG_BASE_URL, WIGWAG_CONNECTOR_ID',
    ],
    [
      'a client in place of a connector',
      { WIGWAG_CLIENT_ID: 'x' },
      ['--http', ...PUBLIC],
      'missing: WIGWAG_BASE',
    ],
    ['no --http', CREDENTIALS, PUBLIC, '--public-url goes with --http'],
    ['a port and no --http', CREDENTIALS, ['--port', '8081'], '--port goes with --http'],
    ['a host and no --http', CREDENTIALS, ['--host', '::1'], '--host goes with --http'],
    ['nothing that says who may call', CREDENTIALS, ['--http'], 'Add --public-url'],
    ['no protection as well', CREDENTIALS, ['--http', '--unprotected', ...PUBLIC], 'got both'],
    [
      'a public URL that is not a URL',
      CREDENTIALS,
      ['--http', '--public-url', 'mcp.example.com'],
      "got 'mcp.",
    ],
    ['one without TLS', CREDENTIALS, ['--http', '--public-url', 'http://mcp.example.com/mcp'], 'with https'],
    [
      'one without a path',
      CREDENTIALS,
      ['--http', '--public-url', 'https://mcp.example.com'],
      'the path /mcp',
    ],
    [
      'one with another path',
      CREDENTIALS,
      ['--http', '--public-url', 'https://mcp.example.com/mcp/'],
      'path /mcp',
    ],
    [
      'one with a query',
      CREDENTIALS,
      ['--http', '--public-url', 'https://mcp.example.com/mcp?a'],
      'path /mcp',
    ],
    [
      'one with a user name',
      CREDENTIALS,
      ['--http', '--public-url', 'https://me@mcp.example.com/mcp'],
      "got 'https",
    ],
    [
      'a gateway without TLS',
      { ...CREDENTIALS, WIGWAG_BASE_URL: 'http://sms.example.com' },
      ['--http', ...PUBLIC],
      'Expected WIGWAG_BASE_URL to be the public URL of the gateway',
    ],
    [
      'limits, which are for the person to set',
      { ...CREDENTIALS, WIGWAG_MCP_RECIPIENTS: '23320*' },
      ['--http', ...PUBLIC, '--daily-spend', '5', '--read-only'],
      'Leave out --read-only, --daily-spend, WIGWAG_MCP_RECIPIENTS.',
    ],
    ['a port that is too high', CREDENTIALS, ['--http', ...PUBLIC, '--port', '65536'], "got '65536'"],
  ])('with %s exits with 2 and says what was expected', async (_name, env, args, expected) => {
    const { code, stdout, stderr } = await startProgram(env, args).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(expected)
    expect(stderr).not.toContain('a-secret-value')
  })

  it('with credentials that the gateway does not know exits with 1, and prints no secret', async () => {
    const { issuer } = await openStandIn()
    const env = { ...CREDENTIALS, WIGWAG_BASE_URL: issuer, WIGWAG_MCP_STATE: freshState() }
    const { code, stdout, stderr } = await startProgram(env, ['--http', ...PUBLIC]).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain("refused the connector's credentials. Check WIGWAG_CONNECTOR_ID")
    expect(stderr).not.toContain('a-secret-value')
  })

  it('with an address that is not the public URL of the gateway exits with 1, and prints the public one', async () => {
    const { issuer } = await openStandIn()
    const env = { ...CREDENTIALS, WIGWAG_BASE_URL: issuer.replace('127.0.0.1', 'localhost') }
    const { code, stderr } = await startProgram(env, ['--http', ...PUBLIC]).ended
    expect(code).toBe(1)
    expect(stderr).toContain(`belongs to "${issuer}". Set WIGWAG_BASE_URL`)
  })

  it('starts while its gateway is down, and answers 503 until it is up', async () => {
    const env = { ...CREDENTIALS, WIGWAG_BASE_URL: 'http://127.0.0.1:1', WIGWAG_MCP_STATE: freshState() }
    const url = await startProgram(env, ['--http', ...PUBLIC, '--port', '0']).listening
    expect((await post(url)).status).toBe(401)
    const response = await post(url, { authorization: 'Bearer token' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  it('answers 503 when its gateway goes down, and sends no assistant to sign in', async () => {
    const gateway = await openStandIn()
    const { url } = await startSignInConnector(gateway)
    const { token } = await gateway.allow(url)
    expect((await post(url, { authorization: `Bearer ${token}` })).status).toBe(200)
    gateway.before = () => new Response('', { status: 502 })
    const response = await post(url, { authorization: `Bearer ${token}` })
    expect(response.status).toBe(503)
    expect(response.headers.get('www-authenticate')).toBeNull()
  })

  it('exits with 0 when it is told to stop', async () => {
    const { program } = await startSignInConnector(await openStandIn())
    program.child.kill('SIGTERM')
    expect((await program.ended).code).toBe(0)
  })
})

describe('a connector with a public URL', () => {
  it.each([
    ['on this machine', '127.0.0.1', 'mcp.example.com', 401],
    ['on this machine', '127.0.0.1', 'mcp.example.com:443', 401],
    ['on this machine', '127.0.0.1', 'localhost:8081', 401],
    ['on this machine', '127.0.0.1', 'evil.example', 403],
    ['on every network', '0.0.0.0', 'mcp.example.com', 401],
    ['on every network', '0.0.0.0', '127.0.0.1:8081', 401],
    ['on every network', '0.0.0.0', 'evil.example', 403],
  ])('that listens %s (%s) answers to the host %s with %i', async (_name, host, called, status) => {
    const gateway = await openStandIn()
    const { id, secret } = await gateway.addConnector('https://mcp.example.com/mcp')
    const env = {
      WIGWAG_BASE_URL: gateway.issuer,
      WIGWAG_CONNECTOR_ID: id,
      WIGWAG_CONNECTOR_SECRET: secret,
      WIGWAG_MCP_STATE: freshState(),
    }
    const url = await startProgram(env, ['--http', ...PUBLIC, '--host', host, '--port', '0']).listening
    expect(await statusFor(Number(new URL(url).port), called)).toBe(status)
  })

  it('lets pages of any origin read its metadata, and refuses writes', async () => {
    const { url } = await startSignInConnector(await openStandIn())
    for (const path of [
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ]) {
      const place = new URL(path, url)
      const read = await fetch(place, { headers: { origin: 'https://chat.example.com' } })
      expect(read.headers.get('content-type')).toBe('application/json')
      expect(read.headers.get('access-control-allow-origin')).toBe('*')
      expect(await read.json()).toMatchObject({ resource: url })
      const asked = await fetch(place, { method: 'OPTIONS' })
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-headers')).toBe('*')
      expect((await fetch(place, { method: 'HEAD' })).status).toBe(200)
      expect((await fetch(place, { method: 'POST' })).status).toBe(405)
    }
    expect((await fetch(new URL('/.well-known/oauth-protected-resource/x', url))).status).toBe(404)
  })
})

/** The status of a call with that Host header. `fetch` does not allow setting it. */
function statusFor(port: number, host: string): Promise<number | undefined> {
  const headers = { host, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end('{}')
  })
}
