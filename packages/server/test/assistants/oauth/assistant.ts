import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An assistant's side of signing in, step by step, so that a test can take a wrong one. */
export interface Assistant {
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
  redirectUri: string
  /** Where it sends the person's browser. A parameter that is undefined is left out. */
  authorizeUrl(changes?: Changes): string
  /** Trades a code. */
  trade(code: string, changes?: Changes): Promise<Answer>
  refresh(refreshToken: string, changes?: Changes): Promise<Answer>
  revoke(token: string, changes?: Changes): Promise<Answer>
  introspect(token: string, changes?: Changes): Promise<Answer>
  /** The same assistant, which calls another gateway of the same service. */
  at(door: string): Assistant
}

/** A parameter may come twice; one that is undefined is left out. */
export type Changes = Record<string, string | readonly string[] | undefined>

export interface Answer {
  status: number
  headers: Headers
  body: Said
}

/** Fields that an authorization server may answer with. Tests check whether it does. */
export interface Said {
  [more: string]: unknown
  client_id: string
  client_secret?: string
  redirect_uris: string[]
  access_token: string
  refresh_token: string
  token_type: string
  expires_in: number
  scope: string
  active: boolean
  error: string
  error_description: string
}

export const REDIRECT = 'http://127.0.0.1:53682/callback'

export async function post(
  url: string,
  form: Changes,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return answerOf(await fetch(url, { method: 'POST', headers, body: encoded(form), redirect: 'manual' }))
}

/**
 * Registers a client (RFC 7591), from an address of its own: only so many are registered from one. The worlds of these
 * tests trust the machine as a proxy.
 */
export async function register(url: string, metadata: object = {}, from = someAddress()): Promise<Answer> {
  const body = JSON.stringify({
    client_name: 'Test assistant',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from }
  return answerOf(await fetch(`${url}/oauth/register`, { method: 'POST', headers, body }))
}

/** A registered assistant that wants to use the tools of a gateway. */
export async function createAssistant(url: string, metadata: object = {}): Promise<Assistant> {
  const { status, body } = await register(url, metadata)
  if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`)
  const { client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris } = body
  return assistantOf(url, { clientId, clientSecret, redirectUri: redirectUris[0] ?? REDIRECT })
}

export interface AssistantOptions extends Pick<Assistant, 'clientId' | 'clientSecret' | 'redirectUri'> {
  resource?: string
  verifier?: string
}

/** An assistant that the gateway knows, or ought to know. */
export function assistantOf(url: string, options: AssistantOptions): Assistant {
  const { clientId, clientSecret, redirectUri } = options
  const { resource = `${url}/mcp`, verifier = randomBytes(32).toString('base64url') } = options
  const own = { client_id: clientId, client_secret: clientSecret }
  return {
    clientId,
    clientSecret,
    redirectUri,
    authorizeUrl(changes = {}) {
      const parameters = {
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'sms:read sms:send',
        state: 'the-state',
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
        resource,
        ...changes,
      }
      return `${url}/oauth/authorize?${encoded(parameters)}`
    },
    trade: (code, changes = {}) =>
      post(`${url}/oauth/token`, {
        ...own,
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        resource,
        ...changes,
      }),
    refresh: (token, changes = {}) =>
      post(`${url}/oauth/token`, {
        ...own,
        grant_type: 'refresh_token',
        refresh_token: token,
        resource,
        ...changes,
      }),
    revoke: (token, changes = {}) => post(`${url}/oauth/revoke`, { ...own, token, ...changes }),
    introspect: (token, changes = {}) => post(`${url}/oauth/introspect`, { ...own, token, ...changes }),
    at: (door) => assistantOf(door, { ...options, resource, verifier }),
  }
}

/** The challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** One of a hundred thousand addresses that are for tests of networks (RFC 2544). */
function someAddress(): string {
  return `198.18.${randomInt(256)}.${randomInt(256)}`
}

function encoded(form: Changes): URLSearchParams {
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs)
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } }
}
