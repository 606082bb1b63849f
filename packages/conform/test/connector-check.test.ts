import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createAssistant } from '../../server/test/assistants/oauth/assistant.ts'
import {
  DENYING,
  decide,
  livingConnections,
  READING,
  SENDING,
  shareWorld,
  tokensFor,
} from '../../server/test/assistants/oauth/world.ts'
import { type Checked, checkConnector } from '../src/connector-check/check.ts'
import { changing, openTamperingProxy, page, type Tamper } from './tampering-proxy.ts'

const proxy = await openTamperingProxy()
afterAll(() => proxy.close())
// One address may register 20 clients an hour, so each check seems to come from another.
let visitor = 0
const world = await shareWorld({ config: { publicUrl: proxy.url } })
proxy.target = world.url
const ama = await world.resident('ama', proxy.url)

beforeEach(() => {
  proxy.tamper = () => undefined
  proxy.passed.length = 0
})

/** An address at which nothing listens. */
const closed = await openTamperingProxy()
closed.close()
const nowhere = closed.url

const URL_OF_TOOLS = `${proxy.url}/mcp`
const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const NOT_FOUND = '<!doctype html><title>Lost</title><script>alert()</script><h1>Page not\n found</h1>'

/** Acts for the person, with the address that the check prints. */
type Person = (address: string) => Promise<void>

/** Goes through the consent page as Ama and back to the check, with what `change` does on the way. */
function amaSays(choice: Record<string, string>, change: (back: URL) => void = () => {}): Person {
  return async (address) => {
    const back = new URL(await decide(ama.person, await ama.person.visit(address), choice))
    change(back)
    expect((await fetch(back)).status).toBe(200)
  }
}

interface Ways {
  url?: string
  person?: Person
  token?: string
  timeoutMs?: number
  stop?: AbortController
}

/** Runs the check. A check for which no person is there asks for none. */
async function check({ url = URL_OF_TOOLS, person, token, timeoutMs = 300_000, stop }: Ways = {}) {
  const from = `198.18.0.${++visitor}`
  let acted: Promise<void> | undefined
  const checked = await checkConnector({
    url,
    token,
    timeoutMs,
    fetch(place, init) {
      const headers = new Headers(init?.headers)
      headers.set('x-forwarded-for', from)
      return fetch(place, { ...init, headers })
    },
    invite(address) {
      if (!person) throw new Error('a sign-in was begun')
      acted = person(address)
    },
    onFinding: () => {},
    stopped: (stop ?? new AbortController()).signal,
  })
  await acted
  return checked
}

const of = ({ findings }: Checked, name: string) => {
  const { state, detail } = findings.find((finding) => finding.check === name) ?? {}
  return `${state}: ${detail}`
}
const failed = ({ findings }: Checked) =>
  findings.filter(({ state }) => state === 'fail').map(({ check }) => check)
const notTried = ({ findings }: Checked) =>
  findings.filter(({ state }) => state === 'skip').map(({ check }) => check)

describe('a connector that works', () => {
  it('is used from the first request to the balance, and the connection is ended', async () => {
    const checked = await check({ person: amaSays(SENDING) })
    expect(checked.findings.map(({ check, state }) => [check, state])).toEqual(
      [
        'address',
        'challenge',
        'resource',
        'server',
        'registration',
        'sign-in',
        'token',
        '2026-07-28',
        '2025-11-25',
        'tools',
        'sending',
        'balance',
        'revocation',
      ].map((name) => [name, 'ok']),
    )
    expect(checked).toMatchObject({
      ok: true,
      revisions: ['2026-07-28', '2025-11-25'],
      maySend: true,
      balance: { balance: 100, currency: 'GHS' },
    })
    expect(checked.tools).toHaveLength(10)
    expect(of(checked, 'balance')).toBe('ok: 100.00 GHS')
    expect(of(checked, 'sending')).toBe('ok: this connection may send')
    expect(of(checked, 'revocation')).toBe('ok: the connection that was made for this check is ended')
    expect(await livingConnections(world, ama)).toBe(0)
  })

  it('may only read when the person chose so', async () => {
    const checked = await check({ person: amaSays(READING) })
    expect(checked).toMatchObject({ ok: true, maySend: false })
    expect(of(checked, 'tools')).toBe('ok: all 7 that read are there')
    expect(of(checked, 'sending')).toBe('ok: this connection may only read')
  })

  it('is used with a token from elsewhere, without a sign-in and without ending it', async () => {
    const { access_token: token } = await tokensFor(ama, await createAssistant(proxy.url), READING)
    const first = await check({ token })
    expect(first).toMatchObject({ ok: true, maySend: false, balance: { balance: 100 } })
    expect(notTried(first)).toEqual(['registration', 'sign-in', 'token', 'revocation'])
    expect(await check({ token })).toMatchObject({ ok: true })
    const refused = await check({ token: `${token}x` })
    expect(failed(refused)).toEqual(['2026-07-28', '2025-11-25'])
    expect(of(refused, '2026-07-28')).toBe(
      `fail: POST ${URL_OF_TOOLS}: the token is refused, although it was given for this address`,
    )
  })

  it('calls no tool but get_balance', async () => {
    const called: unknown[] = []
    proxy.tamper = ({ path, body }) => {
      if (path === '/mcp' && body !== '') called.push(JSON.parse(body))
      return undefined
    }
    await check({ person: amaSays(SENDING) })
    const named = called as { method: string; params?: { name?: string } }[]
    expect(named.map(({ method, params }) => [method, params?.name].filter(Boolean).join(' '))).toEqual([
      'server/discover',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call get_balance',
    ])
  })
})

describe('finding out where to sign in', () => {
  const wrong: readonly [string, Tamper, string, string][] = [
    [
      'a page that was not found',
      page('/mcp', 404, NOT_FOUND),
      'address',
      `POST ${URL_OF_TOOLS}: expected 401, or an answer of the protocol MCP; got 404 text/html "Lost Page not found"`,
    ],
    [
      'a redirect, which would lose the request',
      ({ path }) =>
        path === '/mcp' ? { status: 308, headers: { location: '/elsewhere' }, body: '' } : undefined,
      'address',
      `POST ${URL_OF_TOOLS}: expected 401, or an answer of the protocol MCP; got 308, a redirect to /elsewhere`,
    ],
    [
      'a refusal that does not say where to sign in',
      ({ path }, { headers }) =>
        path === '/mcp' ? { headers: { ...headers, 'www-authenticate': 'Basic realm="sms"' } } : undefined,
      'challenge',
      `POST ${URL_OF_TOOLS}: expected WWW-Authenticate: Bearer resource_metadata="${proxy.url}${RESOURCE}" with the 401; got Basic realm="sms"`,
    ],
    [
      'no header with the refusal',
      ({ path }, { headers: { 'www-authenticate': _, ...headers } }) =>
        path === '/mcp' ? { headers } : undefined,
      'challenge',
      `POST ${URL_OF_TOOLS}: expected WWW-Authenticate: Bearer resource_metadata="${proxy.url}${RESOURCE}" with the 401; got no such header`,
    ],
    [
      'no metadata of the resource',
      page(RESOURCE, 404, NOT_FOUND),
      'resource',
      `GET ${proxy.url}${RESOURCE}: expected 200 with JSON; got 404 text/html "Lost Page not found"`,
    ],
    [
      'metadata of another resource',
      changing(RESOURCE, { resource: 'https://sms.example.com/mcp' }),
      'resource',
      `GET ${proxy.url}${RESOURCE}: expected the resource ${URL_OF_TOOLS}; got https://sms.example.com/mcp`,
    ],
    [
      'no authorization server',
      changing(RESOURCE, { authorization_servers: [] }),
      'resource',
      `GET ${proxy.url}${RESOURCE}: expected authorization_servers; got none`,
    ],
    [
      'an authorization server that does not answer',
      changing(RESOURCE, { authorization_servers: [nowhere] }),
      'server',
      `GET ${nowhere}/.well-known/oauth-authorization-server: no answer: the connection was refused, so nothing listens there`,
    ],
    [
      'another issuer',
      changing(SERVER, { issuer: `${proxy.url}/` }),
      'server',
      `GET ${proxy.url}${SERVER}: expected the issuer ${proxy.url}; got ${proxy.url}/`,
    ],
    [
      'no S256 and no iss',
      changing(SERVER, {
        code_challenge_methods_supported: ['plain'],
        authorization_response_iss_parameter_supported: false,
      }),
      'server',
      `GET ${proxy.url}${SERVER}: expected S256 in code_challenge_methods_supported; got ["plain"]; expected authorization_response_iss_parameter_supported: true; got false`,
    ],
    [
      'no code',
      changing(SERVER, { response_types_supported: ['token'] }),
      'server',
      `GET ${proxy.url}${SERVER}: expected code in response_types_supported; got ["token"]`,
    ],
    [
      'no way for a client to become known',
      changing(SERVER, {
        registration_endpoint: undefined,
        client_id_metadata_document_supported: undefined,
      }),
      'server',
      `GET ${proxy.url}${SERVER}: expected a registration_endpoint, or client_id_metadata_document_supported: true; got none`,
    ],
    [
      'a document without what it needs',
      changing(SERVER, { token_endpoint: undefined }),
      'server',
      `GET ${proxy.url}${SERVER}: the document is not valid: token_endpoint: expected a string, got nothing`,
    ],
    [
      'registration by documents alone',
      changing(SERVER, { registration_endpoint: undefined }),
      'registration',
      'this server knows clients by their metadata documents only, and this program has none; set WIGWAG_CONNECTOR_TOKEN to a token from another client to check the rest',
    ],
    [
      'a registration that is refused',
      ({ path }) =>
        path === '/oauth/register'
          ? {
              status: 429,
              body: '{"error":"temporarily_unavailable","error_description":"\\u001b[2JLater."}',
            }
          : undefined,
      'registration',
      `POST ${proxy.url}/oauth/register: expected 201 with a client_id; got 429 application/json "temporarily_unavailable: [2JLater."`,
    ],
  ]
  it.each(wrong)('names %s, and begins no sign-in', async (_, tamper, name, detail) => {
    proxy.tamper = tamper
    const checked = await check()
    expect(failed(checked)).toEqual([name])
    expect(of(checked, name)).toBe(`fail: ${detail}`)
    expect(checked).toMatchObject({ ok: false, revisions: [] })
    expect(checked.findings.at(-1)?.state).toBe('skip')
  })

  it('goes on to the usual place of the metadata, to say all that is wrong', async () => {
    proxy.tamper = (passing, answer) =>
      passing.path === '/mcp'
        ? { headers: {} }
        : changing(RESOURCE, { resource: `${proxy.url}/other` })(passing, answer)
    expect(failed(await check())).toEqual(['challenge', 'resource'])
  })

  it('says that nothing listens', async () => {
    const checked = await check({ url: `${nowhere}/mcp` })
    expect(of(checked, 'address')).toBe(
      `fail: POST ${nowhere}/mcp: no answer: the connection was refused, so nothing listens there`,
    )
    expect(of(checked, 'balance')).toBe('skip: not tried, because of what failed above')
  })
})

describe('signing in', () => {
  it('says that the person did not allow it', async () => {
    const checked = await check({ person: amaSays(DENYING) })
    expect(failed(checked)).toEqual(['sign-in'])
    expect(of(checked, 'sign-in')).toBe('fail: the person did not allow it')
    expect(of(checked, 'revocation')).toBe(
      'skip: no token was given, so nothing can be ended; if the person allowed it, the server still lists the connection',
    )
  })

  const answers: readonly [string, (back: URL) => void, string][] = [
    [
      'is from another server',
      ({ searchParams }) => searchParams.set('iss', 'https://evil.example'),
      `the answer is from another server: expected iss=${proxy.url}; got https://evil.example. Its code was not used`,
    ],
    [
      'does not say who gave it',
      ({ searchParams }) => searchParams.delete('iss'),
      `the answer does not say who gave it: expected iss=${proxy.url}; got no iss. Its code was not used`,
    ],
    [
      'is to another request',
      ({ searchParams }) => searchParams.set('state', 'another'),
      'the answer is not to this request: its state is another one. Its code was not used',
    ],
    [
      'is empty',
      ({ searchParams }) => searchParams.delete('code'),
      'the answer has neither a code nor an error',
    ],
    [
      'is an error of the server',
      ({ searchParams }) => {
        searchParams.delete('code')
        searchParams.set('error', 'server_error')
        searchParams.set('error_description', 'out of order')
      },
      'the server did not let the person decide: server_error: out of order',
    ],
  ]
  it.each(answers)('refuses an answer that %s, and trades no code', async (_, change, detail) => {
    const checked = await check({ person: amaSays(READING, change) })
    expect(failed(checked)).toEqual(['sign-in'])
    expect(of(checked, 'sign-in')).toBe(`fail: ${detail}`)
    expect(proxy.passed).not.toContain('POST /oauth/token')
  })

  it('stops waiting when no one comes back', async () => {
    const checked = await check({ person: async () => {}, timeoutMs: 50 })
    expect(of(checked, 'sign-in')).toMatch(
      /^fail: no answer came to http:\/\/127\.0\.0\.1:\d+\/callback within 0 s: the page was not opened, was closed, or is in a browser on another machine$/,
    )
  })

  it('says what the server said when it gives no token', async () => {
    proxy.tamper = ({ path }) =>
      path === '/oauth/token' ? { status: 400, body: '{"error":"invalid_grant"}' } : undefined
    const checked = await check({ person: amaSays(READING) })
    expect(of(checked, 'token')).toBe(
      `fail: POST ${proxy.url}/oauth/token: expected 200 with an access_token; got 400 application/json "invalid_grant"`,
    )
  })

  it('prints no part of an answer that may hold a token', async () => {
    proxy.tamper = ({ path }) =>
      path === '/oauth/token' ? { body: '{"access_token":"a-secret","token_type":1}' } : undefined
    const checked = await check({ person: amaSays(READING) })
    expect(failed(checked)).toEqual(['token'])
    expect(JSON.stringify(checked)).not.toContain('a-secret')
  })
})

describe('the tools', () => {
  /** Changes the result of one method of the protocol. */
  const result =
    (method: string, change: (result: Record<string, unknown>) => unknown): Tamper =>
    ({ path, body: asked }, { body }) => {
      if (path !== '/mcp' || !asked.includes(`"${method}"`)) return undefined
      const answer = JSON.parse(body)
      return answer.result
        ? { body: JSON.stringify({ ...answer, result: change(answer.result) }) }
        : undefined
    }
  const without = (name: string): Tamper =>
    result('tools/list', ({ tools, ...rest }) => ({
      ...rest,
      tools: (tools as { name: string }[]).filter((tool) => tool.name !== name),
    }))

  it.each(['get_rates', 'schedule_sms'])('names %s when it is missing', async (name) => {
    proxy.tamper = without(name)
    const before = await livingConnections(world, ama)
    const checked = await check({ person: amaSays(SENDING) })
    expect(of(checked, 'tools')).toBe(
      `fail: expected the 10 tools of a connection that may send; missing: ${name}`,
    )
    expect(failed(checked)).toEqual(['tools'])
    expect(await livingConnections(world, ama)).toBe(before)
  })

  it('says what get_balance says when it fails', async () => {
    proxy.tamper = result('tools/call', () => ({
      isError: true,
      content: [{ type: 'text', text: 'The gateway does not answer.' }],
    }))
    const checked = await check({ person: amaSays(READING) })
    expect(of(checked, 'balance')).toBe('fail: get_balance failed: The gateway does not answer.')
    expect(checked.balance).toBeUndefined()
    expect(of(checked, 'revocation')).toMatch(/^ok: /)
  })

  it('warns when the newest revision is not spoken', async () => {
    const error = { code: -32022, message: 'not spoken' }
    proxy.tamper = ({ path, body }, { status }) =>
      path === '/mcp' && status === 200 && body.includes('server/discover')
        ? { status: 400, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) }
        : undefined
    const checked = await check({ person: amaSays(READING) })
    expect(checked).toMatchObject({ ok: true, revisions: ['2025-11-25'] })
    expect(of(checked, '2026-07-28')).toBe('warn: not spoken; assistants fall back to an earlier revision')
  })

  it('names the request when a revision is answered with an error', async () => {
    proxy.tamper = ({ path, body }) =>
      path === '/mcp' && body.includes('"initialize"')
        ? { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
        : undefined
    const checked = await check({ person: amaSays(READING) })
    expect(of(checked, '2025-11-25')).toBe(
      `fail: POST ${URL_OF_TOOLS}: expected an answer to initialize; got 502 text/html "Bad gateway"`,
    )
  })
})

describe('leaving nothing behind', () => {
  it('says so when the connection could not be ended', async () => {
    proxy.tamper = page('/oauth/revoke', 503, '<h1>Away</h1>')
    const checked = await check({ person: amaSays(READING) })
    expect(of(checked, 'revocation')).toBe(
      `fail: POST ${proxy.url}/oauth/revoke: expected 200; got 503 text/html "Away", so the connection is left: end it on the page that lists connections`,
    )
  })

  it('says so when the server can end none', async () => {
    proxy.tamper = changing(SERVER, { revocation_endpoint: undefined })
    const checked = await check({ person: amaSays(READING) })
    expect(of(checked, 'revocation')).toBe(
      'warn: the server offers no revocation, so the connection is left: end it on the page that lists connections',
    )
  })

  it.each(['/oauth/token', '/mcp'])('ends it when it is stopped while %s answers', async (place) => {
    const before = await livingConnections(world, ama)
    const stop = new AbortController()
    proxy.tamper = ({ path, body }) => {
      if (path === place && (path !== '/mcp' || body.includes('initialize'))) stop.abort()
      return undefined
    }
    const checked = await check({ person: amaSays(READING), stop })
    expect(checked.ok).toBe(false)
    expect(of(checked, 'balance')).toBe('skip: not tried, because the check was stopped')
    expect(of(checked, 'revocation')).toBe('ok: the connection that was made for this check is ended')
    expect(await livingConnections(world, ama)).toBe(before)
  })

  it('ends the wait for the person when it is stopped', async () => {
    const stop = new AbortController()
    const checked = await check({ person: async () => stop.abort(), stop, timeoutMs: 120_000 })
    expect(of(checked, 'sign-in')).toBe('fail: stopped')
  })
})
