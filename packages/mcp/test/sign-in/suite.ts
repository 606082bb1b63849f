import { readFileSync } from 'node:fs'
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { describe, expect, it } from 'vitest'
import { post } from '../fixtures/assistant.ts'
import { MESSAGE } from '../fixtures/message.ts'
import type { Allowed, SignInGateway } from './gateway.ts'
import { connectWithToken, startSignInConnector } from './running-connector.ts'

/** The promises of a connector in its own process, for any gateway that people sign in at. */
export function describeSignIn(name: string, openGateway: () => Promise<SignInGateway>): void {
  async function open() {
    const gateway = await openGateway()
    const connector = await startSignInConnector(gateway)
    const { url } = connector
    return {
      gateway,
      connector,
      url,
      allow: (allowed?: Allowed) => gateway.allow(url, allowed),
      async connect(allowed?: Allowed) {
        const { connection, token } = await gateway.allow(url, allowed)
        return { connection, token, ...(await connectWithToken(url, token)) }
      },
    }
  }

  describe(`an assistant without a token, at a connector of ${name}`, () => {
    it('is told where to get one and which scopes to request', async () => {
      const { url } = await open()
      const response = await post(url)
      expect(response.status).toBe(401)
      const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${metadata}", scope="sms:read sms:send"`,
      )
    })

    it('finds the authorization server with the functions of the official client', async () => {
      const { url, gateway } = await open()
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await post(url))
      expect(scope).toBe('sms:read sms:send')
      const document = {
        resource: url,
        authorization_servers: [gateway.issuer],
        scopes_supported: ['sms:read', 'sms:send'],
        bearer_methods_supported: ['header'],
        resource_name: 'Wigwag SMS',
      }
      const named = resourceMetadataUrl ? { resourceMetadataUrl } : {}
      expect(await discoverOAuthProtectedResourceMetadata(url, named)).toEqual(document)
      expect(await discoverOAuthProtectedResourceMetadata(url)).toEqual(document)
      expect(await discoverOAuthProtectedResourceMetadata(new URL(url).origin)).toEqual(document)
      const server = await discoverAuthorizationServerMetadata(gateway.issuer)
      expect(server?.token_endpoint).toMatch(gateway.issuer)
      expect(await discoverOAuthServerInfo(url)).toMatchObject({
        authorizationServerUrl: gateway.issuer,
        resourceMetadata: document,
        authorizationServerMetadata: { issuer: gateway.issuer },
      })
    })

    it.each([
      ['in the query', (url: string, token: string) => post(`${url}?access_token=${token}`)],
      ['in the body', (url: string, token: string) => post(url, {}, { ...PING, access_token: token })],
      ['by another scheme', (url: string, token: string) => post(url, { authorization: `Basic ${token}` })],
      ['in another header', (url: string, token: string) => post(url, { 'x-access-token': token })],
    ])('has none when it sends one %s', async (_name, call) => {
      const { url, allow } = await open()
      const response = await call(url, (await allow()).token)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).not.toContain('error')
    })
  })

  describe(`a token, at a connector of ${name}`, () => {
    it.each<[string, (gateway: SignInGateway, url: string) => Promise<string>]>([
      ['that was never issued', async () => 'invented'],
      ["that can't be one", async () => 'a b\u00e4'],
      [
        'that has expired',
        async (gateway, url) => {
          const { token } = await gateway.allow(url)
          await gateway.expireTokens()
          return token
        },
      ],
      [
        'that was issued for the tools of the gateway itself',
        async (gateway) => (await gateway.allow(`${gateway.issuer}/mcp`)).token,
      ],
      [
        'that was issued for another connector',
        async (gateway) => {
          const resource = 'https://mcp.example.com/mcp'
          await gateway.addConnector(resource)
          return (await gateway.allow(resource)).token
        },
      ],
    ])('%s is refused', async (_name, tokenOf) => {
      const { url, gateway } = await open()
      const token = await tokenOf(gateway, url)
      const response = await post(url, { authorization: `Bearer ${token}` })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer resource_metadata="[^"]+", scope="sms:read sms:send", error="invalid_token"$/,
      )
      expect(gateway.received()).toEqual([])
    })

    it('gives access to what its person has allowed, and no more', async () => {
      const { connect } = await open()
      const reader = await connect()
      expect(await reader.names()).toHaveLength(7)
      await expect(reader.call('send_sms', MESSAGE)).rejects.toMatchObject({ code: 403 })
      const sender = await connect({ canSend: true })
      expect(await sender.names()).toHaveLength(10)
      expect(await sender.call('send_sms', MESSAGE)).toMatchObject({ isError: false })
    })

    it.each(['send_sms', 'schedule_sms', 'cancel_scheduled'])(
      'that may only read is told which scopes it needs to call %s',
      async (name) => {
        const { url, allow, gateway } = await open()
        const { token } = await allow()
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: MESSAGE } }
        const response = await post(url, { authorization: `Bearer ${token}` }, call)
        expect(response.status).toBe(403)
        const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href
        expect(response.headers.get('www-authenticate')).toBe(
          `Bearer error="insufficient_scope", scope="sms:read sms:send", resource_metadata="${metadata}"`,
        )
        expect((await response.json()).error.message).toContain(`to connect again and allow ${name}`)
        expect(gateway.received()).toEqual([])
      },
    )

    it('never reaches the REST API', async () => {
      const { connect, gateway } = await open()
      const { call, token } = await connect({ canSend: true })
      await call('get_balance')
      await call('send_sms', MESSAGE)
      await call('search_messages')
      const shown = new Set(gateway.received().map(({ authorization }) => authorization))
      expect(gateway.received().length).toBeGreaterThan(2)
      expect(shown.size).toBe(1)
      expect([...shown].join()).toMatch(/^Bearer \S+$/)
      expect([...shown].join()).not.toContain(token)
    })

    it('is refused from the first call after its connection was revoked', async () => {
      const { connect, gateway, url } = await open()
      const { call, connection, token } = await connect({ canSend: true })
      expect((await call('get_balance')).isError).toBe(false)
      await gateway.revoke(connection)
      const before = gateway.received().length
      await expect(call('get_balance')).rejects.toMatchObject({ code: 401 })
      const refused = await post(url, { authorization: `Bearer ${token}` })
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
      expect(gateway.received()).toHaveLength(before)
    })

    it('is not mixed up: two assistants that call concurrently reach two wallets, with two tokens', async () => {
      const { connect, gateway } = await open()
      const [rich, poor] = await Promise.all([connect(), connect({ canSend: true })])
      await poor.call('send_sms', MESSAGE)
      const expected = [await rich.call('get_balance'), await poor.call('get_balance')].map(balanceOf)
      expect(expected[0]).not.toBe(expected[1])
      const callers = Array.from({ length: 40 }, (_, index) => index % 2)
      const answers = await Promise.all(
        callers.map((caller) => [rich, poor][caller]?.call('get_balance').then(balanceOf)),
      )
      expect(answers).toEqual(callers.map((caller) => expected[caller]))
      expect(new Set(gateway.received().map(({ authorization }) => authorization)).size).toBe(2)
    })
  })

  describe(`what an assistant sends, through a connector of ${name}`, () => {
    it('is recorded for its connection alone: a duplicate is refused, and another person may send the same', async () => {
      const { connect, connector } = await open()
      const first = await connect({ canSend: true })
      const second = await connect({ canSend: true })
      expect((await first.call('send_sms', MESSAGE)).isError).toBe(false)
      expect(await first.call('send_sms', MESSAGE)).toMatchObject({
        isError: true,
        text: expect.stringContaining('less than two minutes ago'),
      })
      expect((await second.call('send_sms', MESSAGE)).isError).toBe(false)
      expect(await second.call('send_sms', { ...MESSAGE, content: 'Dear', max_cost: 0 })).toMatchObject({
        isError: true,
        text: expect.stringContaining('more than the max_cost of 0'),
      })

      const lines = readFileSync(`${connector.state}.audit`, 'utf8').trim().split('\n')
      const audit = lines.map((line) => JSON.parse(line))
      expect(audit.map(({ connection, outcome }) => [connection, outcome])).toEqual([
        [`connection:${first.connection}`, 'done'],
        [`connection:${first.connection}`, 'refused'],
        [`connection:${second.connection}`, 'done'],
        [`connection:${second.connection}`, 'refused'],
      ])
    })
  })
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

function balanceOf({ text }: { text: string }): string | undefined {
  return /^balance: (.+)$/m.exec(text)?.[1]
}
