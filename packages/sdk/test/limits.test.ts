import { describe, expect, it, vi } from 'vitest'
import { type ClientOptions, createClient } from '../src/index.ts'
import {
  credentials,
  failure,
  faultServer,
  json,
  message,
  problem,
  sent,
  testClock,
  wordsOf,
} from './fault-server.ts'
import { heldTimers } from './scripted-send.ts'
import { carriers } from './transports.ts'

const baseUrl = 'https://gateway.test'

describe.each(carriers)('over %s', (_, carrier) => {
  describe('a deadline', () => {
    it('ends a call whose gateway says nothing, and tells what is known', async () => {
      const clock = testClock()
      const { end } = heldTimers(2_000)
      await using server = await faultServer(() => {
        clock.time += 2_000
        end()
      })
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl, clock })
      expect(
        await failure(sms.sendSms(message, { deadline: 2_000, idempotencyKey: 'order-1' })),
      ).toMatchObject({
        name: 'TimeoutError',
        uncertain: true,
        attempts: 1,
        idempotencyKey: 'order-1',
        message: 'sendSms: no answer within the deadline of 2000 ms',
      })
      expect(server.requests()).toBe(1)
    })

    it('begins no pause that it could not outlast: the error is that of the last attempt', async () => {
      await using server = await faultServer(problem(429, 'rate_limited', { 'retry-after': '10' }))
      const clock = testClock()
      const sms = createClient({
        ...credentials,
        ...carrier(),
        baseUrl: server.baseUrl,
        clock,
        deadline: 9_000,
      })
      expect(await failure(sms.sendSms(message))).toMatchObject({ status: 429, attempts: 1 })
      expect(clock.slept).toEqual([])
    })

    it('lets attempts go on that it has time for', async () => {
      await using server = await faultServer(problem(503, 'unavailable'), json(200, sent))
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl, clock: testClock() })
      expect(await sms.sendSms(message, { deadline: 60_000 })).toEqual(sent)
    })
  })

  it('names the connection that failed, in the words of the runtime', async () => {
    const closed = await faultServer(json(200, sent))
    await closed[Symbol.asyncDispose]()
    const sms = createClient({ ...credentials, ...carrier(), baseUrl: closed.baseUrl, retries: 0 })
    const said = await wordsOf(sms.getBalance())
    expect(said).toBe(`getBalance: connect ECONNREFUSED ${new URL(closed.baseUrl).host}`)
  })
})

describe('an option that is wrong', () => {
  it.each<[object, string]>([
    [
      { baseUrl: 'localhost:8080' },
      "Expected baseUrl to be an http or https address, such as https://sms.example.com; got 'localhost:8080'.",
    ],
    [{ baseUrl: 'ftp://gateway.test' }, 'Expected baseUrl to be an http or https address, '],
    [{ baseUrl: '' }, "got ''"],
    [{ baseUrl: null }, 'got null'],
    [
      { baseUrl: 'https://me:secret@gateway.test' },
      "without a user name and password, such as https://sms.example.com; got 'https://…@gateway.test'",
    ],
    [{ timeout: Number.NaN }, 'Expected timeout to be a number of at least 1; got NaN.'],
    [{ timeout: '30' }, "got '30'"],
    [{ timeout: 0 }, 'got 0'],
    [{ deadline: -1 }, 'Expected deadline to be a number of at least 1; got -1.'],
    [{ retries: 1.5 }, 'Expected retries to be a whole number of at least 0; got 1.5.'],
    [{ resend: 'always' }, "Expected resend to be 'with-key' or 'when-safe'; got 'always'."],
  ])('stops %j at once, by its name', (wrong, said) => {
    expect(() => createClient({ ...credentials, baseUrl, ...wrong } as ClientOptions)).toThrow(said)
  })

  it('of a call is an error before any request', async () => {
    const fetch = vi.fn(() => Response.json(sent))
    const sms = createClient({ ...credentials, baseUrl, fetch })
    for (const wrong of [{ timeout: Number.NaN }, { retries: -1 }, { deadline: '1' as unknown as number }]) {
      expect(await failure(sms.sendSms(message, wrong))).toBeInstanceOf(TypeError)
    }
    expect(await failure(sms.waitForFinal('t', { timeout: Number.NaN }))).toMatchObject({
      message: 'Expected timeout to be a number of at least 0; got NaN.',
    })
    const noTicket = undefined as unknown as string
    expect(await failure(sms.getTransactionStatus(noTicket))).toMatchObject({
      message: 'getTransactionStatus: expected the ticket as text; got undefined.',
    })
    expect(fetch).not.toHaveBeenCalled()
  })

  it('may be a URL where an address is wanted', async () => {
    const urls: string[] = []
    const fetch = (url: string) => {
      urls.push(url)
      return Response.json({ balance: 1 })
    }
    await createClient({ ...credentials, baseUrl: new URL(baseUrl), fetch }).getBalance()
    expect(urls).toEqual(['https://gateway.test/v1/account/balance'])
  })
})

describe('a client without options', () => {
  it('is made where there is no environment for it, and complains at its first use', async () => {
    vi.stubEnv('WIGWAG_BASE_URL', undefined)
    const sms = createClient()
    expect(await wordsOf(sms.getBalance())).toContain('WIGWAG_BASE_URL in the environment')
    vi.stubEnv('WIGWAG_BASE_URL', baseUrl)
    vi.stubEnv('WIGWAG_CLIENT_ID', undefined)
    expect(await wordsOf(sms.getBalance())).toContain(
      'clientId (WIGWAG_CLIENT_ID), clientSecret (WIGWAG_CLIENT_SECRET)',
    )
    vi.unstubAllEnvs()
  })

  const all =
    'clientId (WIGWAG_CLIENT_ID), clientSecret (WIGWAG_CLIENT_SECRET), walletToken (WIGWAG_WALLET_TOKEN)'
  const [id, secret, wallet] = all.split(', ')
  it.each<[object, Record<string, string>, string]>([
    [{ clientId: 'a' }, {}, `Missing or empty in the options: ${secret}, ${wallet}.`],
    [{ clientId: 'a', clientSecret: 'b' }, {}, `Missing or empty in the options: ${wallet}.`],
    [{ clientSecret: 'b' }, { WIGWAG_CLIENT_ID: 'a' }, `Missing or empty in the options: ${id}, ${wallet}.`],
    [{}, { WIGWAG_CLIENT_ID: 'a' }, `Missing or empty in the environment: ${secret}, ${wallet}.`],
    [
      { clientId: '' },
      { WIGWAG_CLIENT_ID: 'a', WIGWAG_CLIENT_SECRET: 'b', WIGWAG_WALLET_TOKEN: 'c' },
      `Missing or empty in the options: ${all}.`,
    ],
    [{ accessToken: '' }, { WIGWAG_ACCESS_TOKEN: 'd' }, `Missing or empty in the options: ${all}.`],
    [{}, {}, `Missing or empty in the environment: ${all}.`],
  ])('says with the credentials %j and %j what is missing', async (given, around, said) => {
    for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'WALLET_TOKEN', 'ACCESS_TOKEN'])
      vi.stubEnv(`WIGWAG_${name}`, around[`WIGWAG_${name}`])
    const words = await wordsOf(createClient({ baseUrl, ...given } as ClientOptions).getBalance())
    vi.unstubAllEnvs()
    expect(words).toBe(
      `Expected credentials, all from the options or all from the environment: ${all}; ` +
        `or accessToken (WIGWAG_ACCESS_TOKEN). ${said}`,
    )
  })

  it('reads the environment at its first use, and what is given goes before it', async () => {
    const seen: [string, Record<string, string>][] = []
    const fetch: NonNullable<ClientOptions['fetch']> = (url, { headers }) => {
      seen.push([url, headers])
      return Response.json({ balance: 1 })
    }
    const sms = createClient({ fetch })
    const own = createClient({ fetch, accessToken: 'mine' })
    vi.stubEnv('WIGWAG_BASE_URL', 'https://env.test/')
    vi.stubEnv('WIGWAG_CLIENT_ID', 'acme')
    vi.stubEnv('WIGWAG_CLIENT_SECRET', 'secret')
    vi.stubEnv('WIGWAG_WALLET_TOKEN', 'wallet')
    await sms.getBalance()
    await own.getBalance()
    vi.unstubAllEnvs()
    expect(seen).toMatchObject([
      ['https://env.test/v1/account/balance', { authorization: `Basic ${btoa('acme:secret')}` }],
      ['https://env.test/v1/account/balance', { authorization: 'Bearer mine' }],
    ])
  })
})
