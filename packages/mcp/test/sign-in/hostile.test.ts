import { describe, expect, it } from 'vitest'
import { openBearerConnector } from './bearer-connector.ts'
import { openStandIn } from './stand-in.ts'

const METADATA = '/.well-known/oauth-authorization-server'
const INTROSPECT = '/oauth/introspect'
const TOKEN = '/oauth/token'
const ISSUER = 'https://sms.example.com'

const html = (status = 200) => new Response('<h1>Sign in to the network</h1>', { status, headers: HTML })
const HTML = { 'content-type': 'text/html' }
const huge = () => Response.json({ active: false, more: 'x'.repeat(100_000) })
const endless = () =>
  new Response(new ReadableStream({ pull: (to) => to.enqueue(new TextEncoder().encode('{'.repeat(4_096))) }))
/** Says nothing, until the time of the request is over. */
const never = (_issuer: string, timeIsOver: () => void) => {
  timeIsOver()
  return new Promise<Response>(() => {})
}
const granted = { access_token: 'wd_1', token_type: 'Bearer', expires_in: 300 }
const issued_token_type = 'urn:ietf:params:oauth:token-type:access_token'

/** Answers of an authorization server that say nothing about a token, and the path that they come from. */
const useless: [
  name: string,
  path: string,
  answer: (issuer: string, timeIsOver: () => void) => Response | Promise<Response>,
][] = [
  ['a page', METADATA, () => html()],
  ['a page that says 404', METADATA, () => html(404)],
  ['an error', METADATA, () => html(500)],
  ['nothing in time', METADATA, never],
  ['a body without an end', METADATA, endless],
  ['the metadata of another issuer', METADATA, () => Response.json(metadata(ISSUER, ISSUER))],
  ['metadata without endpoints', METADATA, (issuer) => Response.json({ issuer })],
  ['a page', INTROSPECT, () => html()],
  ['an error', INTROSPECT, () => html(502)],
  ['an answer that is too large', INTROSPECT, huge],
  ['an answer without an end', INTROSPECT, endless],
  ['nothing in time', INTROSPECT, never],
  ['a list', INTROSPECT, () => Response.json([{ active: true }])],
  ['a string for active', INTROSPECT, () => Response.json({ active: 'true' })],
  [
    'a valid token without a connection',
    INTROSPECT,
    () => Response.json({ ...proof(), connection: undefined }),
  ],
  ['a valid token that does not expire', INTROSPECT, () => Response.json({ ...proof(), exp: undefined })],
  ['too many requests', INTROSPECT, () => Response.json({}, { status: 429 })],
  ['that the connector is unknown', INTROSPECT, () => refusal('invalid_client', 401)],
  ['that the connector is unknown, as 400', INTROSPECT, () => refusal('invalid_client', 400)],
  ['a page', TOKEN, () => html()],
  ['an error', TOKEN, () => html(503)],
  ['nothing in time', TOKEN, never],
  ['that the connector is not allowed', TOKEN, () => refusal('invalid_target', 400)],
  ['a token without a type', TOKEN, () => Response.json(granted)],
  ['a malformed token', TOKEN, () => exchanged({ access_token: 'wd 1\r\nx: y' })],
  ['a token of an unknown type', TOKEN, () => exchanged({ token_type: 'mac' })],
  ['a token that does not expire', TOKEN, () => exchanged({ expires_in: undefined })],
]

describe('an authorization server that answers', () => {
  it.each(useless)('%s at %s does not send the assistant to sign in again', async (_name, path, answer) => {
    const gateway = await openStandIn()
    let limit = new AbortController()
    const timeLimit = () => {
      limit = new AbortController()
      return limit.signal
    }
    const { post, token, told } = await openBearerConnector(gateway, { timeLimit })
    const mine = await token()
    const timeIsOver = () => limit.abort(new DOMException('It took too long.', 'TimeoutError'))
    gateway.before = ({ url }) =>
      new URL(url).pathname === path ? answer(gateway.issuer, timeIsOver) : undefined
    const response = await post(mine)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect(await response.text()).not.toMatch(/Sign in to the network|example\.com|127\.0\.0\.1/)
    expect(told).toHaveLength(1)
    expect(gateway.received()).toEqual([])

    gateway.before = () => undefined
    expect((await post(mine)).status).toBe(200)
  })

  it.each([METADATA, INTROSPECT, TOKEN])('with a redirect at %s is not followed', async (path) => {
    const gateway = await openStandIn()
    const { post, token } = await openBearerConnector(gateway)
    const followed: string[] = []
    gateway.before = ({ url }) => {
      if (url.endsWith('/elsewhere')) followed.push(url)
      return url.endsWith(path) ? Response.redirect(`${gateway.issuer}/elsewhere`, 307) : undefined
    }
    expect((await post(await token())).status).toBe(503)
    expect(followed).toEqual([])
  })

  it('with endpoints of another host gets no credentials sent there', async () => {
    const gateway = await openStandIn()
    const other = await openStandIn()
    const { post, token } = await openBearerConnector(gateway)
    const mine = await token()
    const asked: string[] = []
    other.before = ({ url }) => {
      asked.push(url)
      return Response.json(proof())
    }
    gateway.before = ({ url }) =>
      url.endsWith(METADATA) ? Response.json(metadata(gateway.issuer, other.issuer)) : undefined
    expect((await post(mine)).status).toBe(503)
    expect(asked).toEqual([])
  })

  it('with the same token in an exchange does not get it sent to the REST API', async () => {
    const gateway = await openStandIn()
    const { post, token, told } = await openBearerConnector(gateway)
    const mine = await token()
    gateway.before = ({ url }) => (url.endsWith(TOKEN) ? exchanged({ access_token: mine }) : undefined)
    expect((await post(mine)).status).toBe(503)
    expect(told[0]?.message).toContain('returned the same token')
    expect(gateway.received()).toEqual([])
  })

  it.each([
    ['for another resource', { aud: 'https://other.example.com/mcp' }],
    ['for one with the same prefix', { aud: 'https://mcp.example.com/mcp/x' }],
    ['for others as well', { aud: ['https://mcp.example.com/mcp', 'https://other.example.com/mcp'] }],
    ['for no audience', { aud: [] }],
    ['without an audience', { aud: undefined }],
    ['with a proof of possession', { token_type: 'DPoP' }],
  ])('that a token is valid %s does not get it accepted', async (_name, claims) => {
    const gateway = await openStandIn()
    const { post, token } = await openBearerConnector(gateway)
    gateway.before = ({ url }) =>
      url.endsWith(INTROSPECT) ? Response.json({ ...proof(), ...claims }) : undefined
    expect((await post(await token())).status).toBe(401)
    expect(gateway.exchanges).toBe(0)
  })

  it('with a Retry-After has it passed on, within limits', async () => {
    const gateway = await openStandIn()
    const { post } = await openBearerConnector(gateway)
    const answering = (pause: string) => {
      gateway.before = () => new Response('', { status: 503, headers: { 'retry-after': pause } })
    }
    const passedOn: (string | null)[] = []
    for (const pause of ['17', '0', '86400', 'soon']) {
      answering(pause)
      passedOn.push((await post('token')).headers.get('retry-after'))
    }
    expect(passedOn).toEqual(['17', '1', '60', '5'])
  })
})

describe('the operator', () => {
  it.each([
    ['the credentials are wrong', 'Check WIGWAG_CONNECTOR_ID and WIGWAG_CONNECTOR_SECRET.', undefined],
    [
      'the address belongs to another issuer',
      'Set WIGWAG_BASE_URL to the public URL',
      metadata(ISSUER, ISSUER),
    ],
  ])('is told when %s', async (_name, said, answer) => {
    const gateway = await openStandIn()
    const { post, told } = await openBearerConnector(gateway, { connectorSecret: 'wrong' })
    if (answer) gateway.before = () => Response.json(answer)
    expect((await post('token')).status).toBe(503)
    expect(told[0]).toMatchObject({ kind: 'set-up', message: expect.stringContaining(said) })
    expect(told[0]?.message).not.toContain('wrong')
  })
})

function metadata(issuer: string, place: string) {
  return { issuer, token_endpoint: `${place}/token`, introspection_endpoint: `${place}/introspect` }
}

function proof() {
  return {
    active: true,
    aud: 'https://mcp.example.com/mcp',
    exp: 4_000_000_000,
    scope: 'sms:read',
    connection: 'one',
    unasked: 'send',
  }
}

function exchanged(claims: object) {
  return Response.json({ ...granted, issued_token_type, ...claims })
}

function refusal(error: string, status: number) {
  return Response.json({ error }, { status })
}
