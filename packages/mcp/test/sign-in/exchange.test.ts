import {
  createBearerIdentify,
  createMemoryJournal,
  type Identity,
  TokenEnded,
  type TokenService,
} from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../fixtures/message.ts'
import { openBearerConnector } from './bearer-connector.ts'
import { openStandIn } from './stand-in.ts'

describe('the token for the REST API', () => {
  it('is requested once, even by concurrent calls, and used until 30 s before it expires', async () => {
    const gateway = await openStandIn()
    let time = Date.now()
    const { post, token } = await openBearerConnector(gateway, { now: () => time })
    const mine = await token()
    await Promise.all(Array.from({ length: 10 }, () => post(mine)))
    expect(gateway.exchanges).toBe(1)
    time += 269_000
    await post(mine)
    expect(gateway.exchanges).toBe(1)
    time += 2_000
    await Promise.all([post(mine), post(mine)])
    expect(gateway.exchanges).toBe(2)
  })

  it('is not kept when it is about to expire on arrival', async () => {
    const gateway = await openStandIn()
    gateway.exchangedFor = 30
    const { say, token } = await openBearerConnector(gateway)
    const mine = await token()
    expect(await say(mine)).toContain('100')
    expect(await say(mine)).toContain('100')
    expect(gateway.exchanges).toBe(2)
  })

  it('is dropped when the gateway refuses it, and the model is told that the connection has ended', async () => {
    const gateway = await openStandIn()
    const { say, token } = await openBearerConnector(gateway)
    const mine = await token()
    expect(await say(mine)).toContain('100')
    gateway.forgetExchanged()
    expect(await say(mine)).toContain('The connection has ended; ask the person to connect again.')
    expect(await say(mine)).toContain('100')
    expect(gateway.exchanges).toBe(2)
  })

  it("does not replace verification: every call verifies the assistant's token", async () => {
    const gateway = await openStandIn()
    const { post, token } = await openBearerConnector(gateway)
    let asked = 0
    gateway.before = (request) => {
      if (request.url.endsWith('/oauth/introspect')) asked++
      return undefined
    }
    const mine = await token()
    for (let calls = 0; calls < 3; calls++) await post(mine)
    expect([asked, gateway.exchanges]).toEqual([3, 1])
  })

  it('is refused when the connection has just ended, and the assistant is asked to sign in', async () => {
    const gateway = await openStandIn()
    const { post, token, told } = await openBearerConnector(gateway)
    gateway.before = ({ url }) =>
      url.endsWith('/oauth/token') ? Response.json({ error: 'invalid_grant' }, { status: 400 }) : undefined
    const response = await post(await token())
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(told).toEqual([])
  })
})

describe('what is sent with it', () => {
  it('is limited by the gateway and not by the connector', async () => {
    const gateway = await openStandIn()
    const { say, token, audit } = await openBearerConnector(gateway)
    const detail = 'This connection may spend 5 GHS a day and has 0.4 left; this costs 0.6.'
    gateway.before = ({ url }) =>
      url.endsWith('/v1/messages/sms')
        ? Response.json({ status: 403, code: 'limit_reached', detail }, { status: 403 })
        : undefined
    expect(await say(await token(), 'send_sms', MESSAGE)).toBe(
      'Nothing was sent: this connection may spend 5 GHS a day and has 0.4 left; this costs 0.6; wait for the next ' +
        `day in UTC, or ask the person to raise the limit at ${gateway.issuer}/connections.`,
    )
    expect(audit).toEqual([expect.objectContaining({ tool: 'send_sms', outcome: 'failed', ticket: null })])
  })

  it('says how the person can grant a missing scope', async () => {
    const gateway = await openStandIn()
    const { say, token } = await openBearerConnector(gateway)
    const detail = 'The access token does not allow sms:send.'
    gateway.before = ({ url }) =>
      url.endsWith('/v1/messages/sms')
        ? Response.json({ status: 403, code: 'insufficient_scope', detail }, { status: 403 })
        : undefined
    expect(await say(await token(), 'send_sms', MESSAGE)).toBe(
      'Nothing was sent: the access token does not allow sms:send; ask the person to connect again and allow send_sms.',
    )
  })

  it('may be sent again after a limit refused it, because it never went out', async () => {
    const gateway = await openStandIn()
    const { say, token } = await openBearerConnector(gateway)
    const mine = await token()
    gateway.before = ({ url }) =>
      url.endsWith('/v1/messages/sms')
        ? Response.json({ status: 403, code: 'limit_reached', detail: 'No more today.' }, { status: 403 })
        : undefined
    expect(await say(mine, 'send_sms', MESSAGE)).toContain('no more today')
    gateway.before = () => undefined
    expect(await say(mine, 'send_sms', MESSAGE)).toContain('pending')
  })
})

describe('createBearerIdentify', () => {
  const tokens = (exchange: TokenService['exchange']): TokenService => ({
    verify: async (token) => ({ connection: token, canSend: false, unasked: 'send', expiresAt: 0 }),
    exchange,
  })
  const identifyWith = (service: TokenService) => {
    const identify = createBearerIdentify({
      tokens: service,
      resource: () => 'https://sms.example.com/mcp',
      portal: () => 'https://sms.example.com/connections',
      createClient: (access) => createClient({ baseUrl: 'https://sms.example.com', ...access }),
      journalOf: createMemoryJournal,
      stateKey: 'secret',
      now: () => 0,
    })
    return (token: string) => identify({ headers: new Headers({ authorization: `bearer ${token}` }) })
  }

  it('names the connection, its page and what it may do', async () => {
    const identify = identifyWith(tokens(async () => ({ accessToken: 'wd', expiresAt: 300_000 })))
    expect(await identify('one')).toMatchObject({
      connection: 'connection:one',
      canSend: false,
      portal: 'https://sms.example.com/connections',
    } satisfies Partial<Identity>)
  })

  it('keeps a thousand clients, and drops the least recently used', async () => {
    const exchanged: string[] = []
    const identify = identifyWith(
      tokens(async (token) => {
        exchanged.push(token)
        return { accessToken: `for-${token}`, expiresAt: 300_000 }
      }),
    )
    for (let number = 0; number < 1_000; number++) await identify(`${number}`)
    await identify('0')
    await identify('1000')
    expect(exchanged).toHaveLength(1_001)
    await identify('0')
    expect(exchanged).toHaveLength(1_001)
    await identify('1')
    expect(exchanged.slice(1_001)).toEqual(['1'])
  })

  it('tries again after an exchange that failed', async () => {
    let failures = 1
    const identify = identifyWith(
      tokens(async () => {
        if (failures-- > 0) throw new TokenEnded()
        return { accessToken: 'wd', expiresAt: 300_000 }
      }),
    )
    expect(await identify('one')).toMatchObject({ status: 401 })
    expect(await identify('one')).toMatchObject({ connection: 'connection:one' })
  })

  it('does not hide a fault behind a 401', async () => {
    const broken = tokens(async () => {
      throw new TypeError('broken')
    })
    await expect(identifyWith(broken)('one')).rejects.toThrow('broken')
  })
})
