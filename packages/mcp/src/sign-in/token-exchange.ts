import { UNASKED } from '@wigwag/contract'
import * as z from 'zod'
import { systemNow } from '../clock.ts'
import { type Answer, createAuthorizationServer } from './authorization-server.ts'
import { isToken, SignInUnavailable, TokenEnded, type TokenService } from './token-service.ts'

export interface TokenExchangeOptions {
  /** The gateway's public URL, which is also its issuer: `https://sms.example.com`. */
  issuer: string
  /** The address of the tools. Only tokens issued for it are valid. */
  resource: string
  connectorId: string
  connectorSecret: string
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  now?: (() => number) | undefined
  timeLimit?: (() => AbortSignal) | undefined
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** The answer of introspection (RFC 7662). */
const stateSchema = z.object({
  active: z.boolean(),
  token_type: z.string().default('Bearer'),
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
})

/** The further fields for a token that is valid for this resource. */
const accessSchema = z.object({
  scope: z.string(),
  exp: z.int(),
  connection: z.string().min(1).max(200),
  unasked: z.enum(UNASKED),
})

const exchangedSchema = z.object({
  access_token: z.string().refine(isToken),
  issued_token_type: z.literal(ACCESS_TOKEN),
  token_type: z.string().refine(isBearer),
  expires_in: z.int().positive(),
})

/** A token service for a connector in its own process: the gateway introspects and exchanges each token over HTTP. */
export function createTokenExchange(options: TokenExchangeOptions): TokenService {
  const { issuer, resource, connectorId, connectorSecret, fetch, timeLimit, now = systemNow } = options
  const server = createAuthorizationServer({
    issuer,
    clientId: connectorId,
    clientSecret: connectorSecret,
    fetch,
    timeLimit,
  })

  return {
    async verify(token) {
      const { body } = await server.post('introspection_endpoint', {
        token,
        token_type_hint: 'access_token',
      })
      const { active, token_type, aud } = expected(stateSchema, body, 'introspection')
      if (!active || !isBearer(token_type) || !isFor(resource, aud)) return undefined
      const { scope, exp, connection, unasked } = expected(accessSchema, body, 'introspection')
      const canSend = scope.split(' ').includes('sms:send')
      return { connection, canSend, unasked, expiresAt: exp * 1_000 }
    },

    async exchange(token) {
      const askedAt = now()
      const { body } = await server.post('token_endpoint', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        resource: issuer,
      })
      if (body.error === 'invalid_grant' || body.error === 'invalid_request') throw new TokenEnded()
      const { access_token, expires_in } = expected(exchangedSchema, body, 'the exchange')
      return { accessToken: access_token, expiresAt: askedAt + expires_in * 1_000 }
    },
  }
}

function isBearer(type: string): boolean {
  return type.toLowerCase() === 'bearer'
}

/** The audience must be this resource alone: a token that is valid elsewhere too is refused. */
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
