import * as z from 'zod'
import { type Answer, createAuthorizationServer } from './authorization-server.ts'
import { systemNow } from './clock.ts'
import { isToken, SignInUnavailable, TokenEnded, type TokenService } from './sign-in.ts'

export interface TokenExchangeOptions {
  /** The gateway's public URL, which is its issuer: `https://sms.example.com`. */
  issuer: string
  /** The address of the tools: only tokens made for it are good. */
  resource: string
  connectorId: string
  connectorSecret: string
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  now?: (() => number) | undefined
  timeoutMs?: number | undefined
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** What introspection says of a token (RFC 7662). */
const stateSchema = z.object({
  active: z.boolean(),
  token_type: z.string().default('Bearer'),
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
})

/** And of one that was made for this resource, with the connection behind it. */
const accessSchema = z.object({
  scope: z.string(),
  exp: z.int(),
  connection: z.string().min(1).max(200),
})

const exchangedSchema = z.object({
  access_token: z.string().refine(isToken),
  issued_token_type: z.literal(ACCESS_TOKEN),
  token_type: z.string().refine(isBearer),
  expires_in: z.int().positive(),
})

/** The tokens of a gateway, seen from apart: each is introspected there, and exchanged there. */
export function createTokenExchange(options: TokenExchangeOptions): TokenService {
  const { issuer, resource, connectorId, connectorSecret, fetch, timeoutMs, now = systemNow } = options
  const server = createAuthorizationServer({
    issuer,
    clientId: connectorId,
    clientSecret: connectorSecret,
    fetch,
    timeoutMs,
  })

  return {
    async verify(token) {
      const { body } = await server.post('introspection_endpoint', {
        token,
        token_type_hint: 'access_token',
      })
      const { active, token_type, aud } = expected(stateSchema, body, 'introspection')
      if (!active || !isBearer(token_type) || !isFor(resource, aud)) return undefined
      const { scope, exp, connection } = expected(accessSchema, body, 'introspection')
      return { connection, canSend: scope.split(' ').includes('sms:send'), expiresAt: exp * 1_000 }
    },

    async exchange(token) {
      const asked = now()
      const { body } = await server.post('token_endpoint', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        resource: issuer,
      })
      if (body.error === 'invalid_grant' || body.error === 'invalid_request') throw new TokenEnded()
      const { access_token, expires_in } = expected(exchangedSchema, body, 'the exchange')
      return { accessToken: access_token, expiresAt: asked + expires_in * 1_000 }
    },
  }
}

function isBearer(type: string): boolean {
  return type.toLowerCase() === 'bearer'
}

/** A token that is also good elsewhere was not made for this resource alone. */
function isFor(resource: string, audience: readonly string[]): boolean {
  return audience.length > 0 && audience.every((one) => one === resource)
}

function expected<Known>(schema: z.ZodType<Known>, body: Answer['body'], what: string): Known {
  const { data } = schema.safeParse(body)
  if (data !== undefined) return data
  const { error } = body
  const said = typeof error === 'string' && /^\w{1,40}$/.test(error) ? `: ${error}` : ''
  throw new SignInUnavailable(`the gateway's answer to ${what} can't be used${said}`, { kind: 'set-up' })
}
