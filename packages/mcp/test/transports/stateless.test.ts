import { createHttpHandler, type Identity } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openConnector } from '../fixtures/connector.ts'
import { MESSAGE } from '../fixtures/message.ts'
import { earlierRequest, envelope, type RawRequest, statelessRequest } from '../fixtures/stateless.ts'

const URL = 'http://connector.invalid/mcp'
const SEND = { name: 'send_sms', arguments: MESSAGE }

function serve(identity: Identity) {
  const handle = createHttpHandler({ identify: async () => identity, allowedHosts: ['connector.invalid'] })
  return async ({ headers, body }: Omit<RawRequest, 'body'> & { body: object }) => {
    const response = await handle(new Request(URL, { method: 'POST', headers, body: JSON.stringify(body) }))
    const text = await response.text()
    return { status: response.status, headers: response.headers, said: text === '' ? null : JSON.parse(text) }
  }
}

async function open() {
  const connector = await openConnector()
  return { ...connector, post: serve(connector.identity) }
}

const without = ({ headers, body }: RawRequest, ...names: string[]): RawRequest => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
  body,
})
const withHeader = ({ headers, body }: RawRequest, name: string, value: string): RawRequest => ({
  headers: { ...headers, [name]: value },
  body,
})

describe('a client of 2026-07-28', () => {
  it('discovers the server without a handshake, and how long it may keep what it learns', async () => {
    const { post } = await open()
    const { status, headers, said } = await post(statelessRequest('server/discover'))
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(said.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      instructions: expect.stringContaining('spend real money'),
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'wigwag', version: packageJson.version } },
    })
  })

  it('lists the tools of its connection, which no cache may show to another', async () => {
    const { post, identity } = await open()
    const { said } = await post(statelessRequest('tools/list'))
    expect(said.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' })
    expect(said.result.tools).toHaveLength(10)
    const reader = serve({ ...identity, canSend: false })
    expect((await reader(statelessRequest('tools/list'))).said.result.tools).toHaveLength(7)
  })

  it('may keep a list for itself, and a resource not at all', async () => {
    const { post, call } = await open()
    const mine = { ttlMs: 300_000, cacheScope: 'private' }
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list']) {
      expect((await post(statelessRequest(method))).said.result, method).toMatchObject(mine)
    }
    const { data } = await call('send_sms', MESSAGE)
    const read = await post(statelessRequest('resources/read', { uri: `wigwag://messages/${data.ticket}` }))
    expect(read.said.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it('is shown the icon when it discovers the server, and not again with each result', async () => {
    const { post } = await open()
    const infoIn = ({ said }: Awaited<ReturnType<typeof post>>) =>
      said.result._meta['io.modelcontextprotocol/serverInfo']
    const { icons, websiteUrl } = infoIn(await post(statelessRequest('server/discover')))
    expect(websiteUrl).toMatch(/^https:/)
    expect(icons).toMatchObject([{ mimeType: 'image/svg+xml', sizes: ['any'] }])
    expect(icons[0].src.length).toBeLessThan(500)
    const drawn = Buffer.from(icons[0].src.split('base64,')[1], 'base64').toString()
    expect(drawn).toMatch(/^<svg .*<\/svg>$/)
    expect(Object.keys(infoIn(await post(statelessRequest('tools/list'))))).toEqual([
      'name',
      'title',
      'version',
    ])
  })

  it('lists exactly the tools that clients before it list', async () => {
    const { post, mcp } = await open()
    const { said } = await post(statelessRequest('tools/list'))
    expect(said.result.tools).toEqual((await mcp.listTools()).tools)
  })

  it('gets the answer of a tool, and an error of a tool, as results', async () => {
    const { post } = await open()
    const balance = await post(statelessRequest('tools/call', { name: 'get_balance' }))
    expect(balance.status).toBe(200)
    expect(balance.said.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { currency: 'GHS' },
    })
    const misfit = await post(
      statelessRequest('tools/call', { ...SEND, arguments: { ...MESSAGE, to: '024' } }),
    )
    expect(misfit.status).toBe(200)
    expect(misfit.said.result).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [{ text: expect.stringContaining('do not fit send_sms') }],
    })
  })

  it('gets an error of the protocol for a tool that does not exist', async () => {
    const { post } = await open()
    const { status, said } = await post(statelessRequest('tools/call', { name: 'send_all' }))
    expect(status).toBe(200)
    expect(said).toMatchObject({ id: 1, error: { code: -32_602 } })
  })

  it('gets the code of its revision for a resource that is not there', async () => {
    const { post } = await open()
    const uri = 'wigwag://rates/ZZ'
    const { status, said } = await post(statelessRequest('resources/read', { uri }))
    expect([status, said.error.code, said.error.data]).toEqual([200, -32_602, { uri }])
    const earlier = await post(earlierRequest('resources/read', { uri }))
    expect(earlier.said.error).toMatchObject({ code: -32_002, data: { uri } })
  })

  it.each(['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'subscriptions/listen'])(
    'gets 404 for %s, which is not there for it',
    async (method) => {
      const { post } = await open()
      const { status, said } = await post(statelessRequest(method))
      expect(status).toBe(404)
      expect(said).toMatchObject({ id: 1, error: { code: -32_601 } })
    },
  )

  it('gets 202 for a notification', async () => {
    const { post } = await open()
    const { headers, body } = statelessRequest('notifications/cancelled', { requestId: 7 })
    const { id, ...notification } = body
    expect(await post({ headers, body: notification })).toMatchObject({ status: 202, said: null })
  })

  it('is told which versions are spoken here when it asks for one to come', async () => {
    const { post } = await open()
    const { status, said } = await post(statelessRequest('tools/list', {}, '2027-01-01'))
    expect(status).toBe(400)
    expect(said).toMatchObject({
      id: 1,
      error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } },
    })
  })

  it.each([
    ['nothing about itself', {}],
    ['no capabilities', { ...envelope(), 'io.modelcontextprotocol/clientCapabilities': undefined }],
  ])('is refused with 400 when it says %s', async (_name, _meta) => {
    const { post, requests } = await open()
    const { headers, body } = statelessRequest('tools/call', SEND)
    const { status, said } = await post({ headers, body: { ...body, params: { ...SEND, _meta } } })
    expect([status, said.error.code, said.id]).toEqual([400, -32_602, 1])
    expect(requests).toEqual([])
  })
})

describe('the headers of a request, by which a proxy may have let it pass', () => {
  const send = statelessRequest('tools/call', SEND)
  const read = statelessRequest('resources/read', { uri: 'wigwag://rates/US' })
  it.each([
    ['no version', without(send, 'mcp-protocol-version')],
    ['the version of another revision', withHeader(send, 'mcp-protocol-version', '2025-11-25')],
    ['no method', without(send, 'mcp-method')],
    ['another method', withHeader(send, 'mcp-method', 'tools/list')],
    ['the method in other letters', withHeader(send, 'mcp-method', 'Tools/Call')],
    ['no name', without(send, 'mcp-name')],
    ['the address of another resource', withHeader(read, 'mcp-name', 'wigwag://rates/GH')],
    ['the name of a tool that only reads', withHeader(send, 'mcp-name', 'get_balance')],
    ['two names', withHeader(send, 'mcp-name', 'send_sms, get_balance')],
    ['a name in broken base64', withHeader(send, 'mcp-name', '=?base64?c2VuZF9zbXM?=')],
    ['another name in base64', withHeader(send, 'mcp-name', `=?base64?${btoa('get_balance')}?=`)],
  ])('with %s are refused with 400, and nothing is done', async (_name, request) => {
    const { post, requests } = await open()
    const { status, said } = await post(request)
    expect(status).toBe(400)
    expect(said).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32_020 } })
    expect(requests).toEqual([])
  })

  it.each([
    ['in base64', `=?base64?${btoa('send_sms')}?=`],
    ['with spaces around it', ' send_sms '],
  ])('may have the name %s', async (_name, value) => {
    const { post } = await open()
    const { status, said } = await post(withHeader(send, 'mcp-name', value))
    expect([status, said.result.isError]).toEqual([200, undefined])
  })

  it('are not asked of clients before 2026-07-28', async () => {
    const { post } = await open()
    const { headers, body } = without(send, 'mcp-protocol-version', 'mcp-method', 'mcp-name')
    const { status } = await post({ headers, body: { ...body, params: SEND } })
    expect(status).toBe(200)
  })
})
