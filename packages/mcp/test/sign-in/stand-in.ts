import { randomBytes, randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { openSandbox, type Sandbox } from '../../../server/src/testing/sandbox.ts'
import { listen } from '../fixtures/listen.ts'
import type { Allowed, ReceivedRequest, SignInGateway } from './gateway.ts'

export interface StandIn extends SignInGateway {
  /** Handles each request first. Where it returns undefined, the stand-in answers. */
  before: (request: Request) => Promise<Response | undefined> | Response | undefined
  /** How long an exchanged token is good for, in seconds. */
  exchangedFor: number
  /** The exchanges so far. */
  exchanges: number
  /** Refuses all tokens that were exchanged so far. */
  forgetExchanged(): void
  /** Stops listening. */
  close(): Promise<void>
}

interface Connection {
  id: string
  canSend: boolean
  sandbox: Sandbox
  ended: boolean
}

interface Token {
  connection: Connection
  audience: string
  until: number
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * An authorization server and a REST API on a socket, like the gateway's. The first answers the connector's requests as
 * the standards say; the second is a sandbox per account, which accepts only exchanged tokens.
 */
export async function openStandIn(): Promise<StandIn> {
  const connections = new Map<string, Connection>()
  const connectors = new Map<string, { secret: string; resource: string }>()
  const given = new Map<string, Token>()
  const exchanged = new Map<string, Token>()
  const received: ReceivedRequest[] = []
  const app = new Hono()

  const { port, close } = await listen(
    async (request) => (await standIn.before(request)) ?? app.fetch(request),
  )
  const issuer = `http://127.0.0.1:${port}`
  onTestFinished(async () => {
    await close()
    for (const { sandbox } of connections.values()) await sandbox.close()
  })

  const living = (tokens: Map<string, Token>, token: string | undefined) => {
    const found = tokens.get(token ?? '')
    return found && found.until > Date.now() && !found.connection.ended ? found : undefined
  }

  /** The connector that shows its credentials. */
  const connectorOf = (authorization: string | undefined) => {
    const basic = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
    const [id = '', secret] = basic.split(':').map((part) => new URLSearchParams(`x=${part}`).get('x') ?? '')
    const found = connectors.get(id)
    return found?.secret === secret ? found : undefined
  }

  app.get('/.well-known/oauth-authorization-server', (c) =>
    c.json({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    }),
  )

  app.post('/oauth/introspect', async (c) => {
    if (!connectorOf(c.req.header('authorization'))) return c.json({ error: 'invalid_client' }, 401)
    const { token } = await c.req.parseBody()
    const found = living(given, String(token))
    if (!found) return c.json({ active: false })
    return c.json({
      active: true,
      token_type: 'Bearer',
      client_id: 'an-assistant',
      sub: 'a-person',
      aud: found.audience,
      exp: Math.floor(found.until / 1_000),
      scope: found.connection.canSend ? 'sms:read sms:send' : 'sms:read',
      connection: found.connection.id,
      unasked: 'send',
    })
  })

  app.post('/oauth/token', async (c) => {
    const connector = connectorOf(c.req.header('authorization'))
    if (!connector) return c.json({ error: 'invalid_client' }, 401)
    const form = await c.req.parseBody()
    if (form.grant_type !== 'urn:ietf:params:oauth:grant-type:token-exchange')
      return c.json({ error: 'unsupported_grant_type' }, 400)
    if (form.subject_token_type !== ACCESS_TOKEN) return c.json({ error: 'invalid_request' }, 400)
    if (form.resource !== issuer) return c.json({ error: 'invalid_target' }, 400)
    const found = living(given, String(form.subject_token))
    if (found?.audience !== connector.resource) return c.json({ error: 'invalid_grant' }, 400)
    standIn.exchanges++
    const access_token = `wd_${randomBytes(32).toString('base64url')}`
    exchanged.set(access_token, { ...found, until: Date.now() + standIn.exchangedFor * 1_000 })
    return c.json({
      access_token,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: standIn.exchangedFor,
    })
  })

  app.all('/v1/*', async (c) => {
    const { method, path } = c.req
    const authorization = c.req.header('authorization') ?? null
    received.push({ method, path, authorization })
    const found = living(exchanged, authorization?.replace(/^Bearer /, ''))
    if (!found) {
      const detail = 'The access token is not valid.'
      return c.json({ status: 401, code: 'invalid_credentials', detail }, 401)
    }
    const { clientId, clientSecret, walletToken } = found.connection.sandbox.credentials
    const headers = new Headers(c.req.raw.headers)
    headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`)
    headers.set('x-wallet', `Token ${walletToken}`)
    return found.connection.sandbox.fetch(new Request(c.req.raw, { headers }))
  })

  const standIn: StandIn = {
    issuer,
    before: () => undefined,
    exchangedFor: 300,
    exchanges: 0,
    close,
    forgetExchanged: () => exchanged.clear(),
    received: () => received,
    async addConnector(resource) {
      // With all the characters that need encoding.
      const id = `connector:${randomUUID()}`
      const secret = `+ %&=:${randomUUID()}`
      connectors.set(id, { secret, resource })
      return { id, secret }
    },
    async allow(resource, { canSend = false }: Allowed = {}) {
      const connection = { id: randomUUID(), canSend, sandbox: await openSandbox({}), ended: false }
      connections.set(connection.id, connection)
      const token = randomBytes(32).toString('base64url')
      given.set(token, { connection, audience: resource, until: Date.now() + 900_000 })
      return { connection: connection.id, token }
    },
    async revoke(id) {
      const connection = connections.get(id)
      if (connection) connection.ended = true
    },
    async expireTokens() {
      for (const token of given.values()) token.until = 0
    },
  }
  return standIn
}
