import { createHash, randomBytes } from 'node:crypto'

/** An assistant's side of signing in, step by step, so that a test can take a wrong one. */
export interface Assistant {
  clientId: string
  redirectUri: string
  /** Where it sends the person's browser. A parameter that is undefined is left out. */
  authorizeUrl(changes?: Changes): string
  /** Trades a code. */
  trade(code: string, changes?: Changes): Promise<Answer>
  refresh(refreshToken: string, changes?: Changes): Promise<Answer>
  revoke(token: string, changes?: Changes): Promise<Answer>
  introspect(token: string, changes?: Changes): Promise<Answer>
}

export type Changes = Record<string, string | undefined>

export interface Answer {
  status: number
  headers: Headers
  body: Said
}

/** What an authorization server may say, if it says it as it should: tests look whether it does. */
export interface Said {
  [more: string]: unknown
  client_id: string
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
  return answerOf(
    await fetch(url, {
      method: 'POST',
      headers,
      body: new URLSearchParams(present(form)),
      redirect: 'manual',
    }),
  )
}

/** Registers a client (RFC 7591). */
export async function register(url: string, metadata: object = {}): Promise<Answer> {
  const body = JSON.stringify({
    client_name: 'Test assistant',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(`${url}/oauth/register`, { method: 'POST', headers, body }))
}

/** A registered assistant that wants to use the tools of a gateway. */
export async function createAssistant(url: string, metadata: object = {}): Promise<Assistant> {
  const registered = await register(url, metadata)
  if (registered.status !== 201) throw new Error(`not registered: ${JSON.stringify(registered.body)}`)
  const { client_id: clientId } = registered.body
  const [redirectUri = REDIRECT] = registered.body.redirect_uris
  const verifier = randomBytes(32).toString('base64url')
  const resource = `${url}/mcp`
  const own = { client_id: clientId }
  return {
    clientId,
    redirectUri,
    authorizeUrl(changes = {}) {
      const parameters = {
        ...own,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'sms:read sms:send',
        state: 'the-state',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource,
        ...changes,
      }
      return `${url}/oauth/authorize?${new URLSearchParams(present(parameters))}`
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
  }
}

function present(form: Changes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } }
}
