import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Config, loadConfig } from '../../../src/config/config.ts'
import { call, openFront, SINGLE, single } from '../../support/front.ts'

type Line = Record<string, unknown>

/** A gateway behind a socket, and what it logs. */
async function openLogged(changes: Partial<Config>, level = 'warn') {
  const lines: Line[] = []
  const log = pino({ level, base: null }, { write: (text: string) => void lines.push(JSON.parse(text)) })
  const front = await openFront(':memory:', { accessLog: true, ...changes }, { log })
  onTestFinished(() => front.close())
  const account = await front.account('logged', 1_000_000_000)
  return { front, account, lines, requests: () => lines.filter(({ msg }) => msg === 'request') }
}

describe('the access log', () => {
  it('has a line for each request: who asked what, the answer, its id and the time taken', async () => {
    const { front, account, requests } = await openLogged({})
    const { headers } = await call(front.url, account, { path: SINGLE, body: single() })
    await call(front.url, account, { path: SINGLE, body: single('12') })
    await call(front.url, { ...account, clientSecret: 'wrong' }, { path: SINGLE, body: single() })
    const common = { level: 30, operation: 'sendSms', client: '127.0.0.1', ms: expect.any(Number) }
    expect(requests()).toEqual([
      expect.objectContaining({
        ...common,
        status: 200,
        account: account.accountId,
        requestId: headers.get('x-request-id'),
      }),
      expect.objectContaining({
        ...common,
        status: 422,
        account: account.accountId,
        code: 'invalid_recipient',
      }),
      expect.objectContaining({ ...common, status: 401, code: 'invalid_credentials' }),
    ])
    expect(requests()[2]).not.toHaveProperty('account')
  })

  it('has the id of a request for a page, which its answer has too', async () => {
    const { front, requests } = await openLogged({})
    const answers = [await fetch(`${front.url}/sign-in`), await fetch(`${front.url}/docs`)]
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(ids.every((id) => id)).toBe(true)
    expect(requests().map(({ operation, requestId }) => [operation, requestId])).toEqual([
      ['page', ids[0]],
      ['reference', ids[1]],
    ])
  })

  it('holds no number, text, credential or query', async () => {
    const { front, account, lines } = await openLogged({})
    const body = { ...single('233241234567'), Content: 'top secret', Reference: 'order-77' }
    await call(front.url, account, { path: SINGLE, body })
    await call(front.url, account, { path: '/v1/messages?Recipient=233241234567' })
    await call(front.url, account, { path: '/v1/nothing/233241234567?code=abcdef' })
    const { clientId, clientSecret, walletToken } = account
    expect(lines.length).toBeGreaterThanOrEqual(3)
    for (const secret of [
      '233241234567',
      'top secret',
      'order-77',
      'abcdef',
      clientId,
      clientSecret,
      walletToken,
    ])
      expect(JSON.stringify(lines)).not.toContain(secret)
  })

  it('names the client behind a trusted proxy, and no one whom a stranger invents', async () => {
    const { front, requests } = await openLogged({ trustedProxies: ['127.0.0.1/32'] })
    const strange = await openLogged({})
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' }
    for (const { url } of [front, strange.front]) await fetch(`${url}/openapi.json`, { headers })
    expect(requests()).toMatchObject([{ operation: 'reference', client: '203.0.113.7' }])
    expect(strange.requests()).toMatchObject([{ client: '127.0.0.1' }])
  })

  it.each([
    ['203.0.113.5:4711', '203.0.113.5'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:203.0.113.5]:80', '203.0.113.5'],
    ['198.51.100.9:80, 203.0.113.7:4711, 127.0.0.1:8080', '203.0.113.7'],
  ])('names the client of a trusted proxy that appends %s', async (forwarded, client) => {
    const { front, requests } = await openLogged({ trustedProxies: ['127.0.0.1/32'] })
    await fetch(`${front.url}/openapi.json`, { headers: { 'x-forwarded-for': forwarded } })
    expect(requests()).toMatchObject([{ operation: 'reference', client }])
  })

  it('leaves out health checks that succeed', async () => {
    const { front, requests } = await openLogged({})
    await fetch(`${front.url}/livez`)
    await fetch(`${front.url}/readyz`)
    front.gateway.drain()
    await fetch(`${front.url}/readyz`)
    expect(requests()).toMatchObject([{ operation: 'health', status: 503 }])
  })

  it('is written where the level is info, unless it is set', () => {
    const production = {
      WIGWAG_ENV: 'production',
      WIGWAG_SECRET: 'x'.repeat(32),
      WIGWAG_CARRIER: 'simulator',
    }
    const isOn = (env: Record<string, string>) => loadConfig({}, env).accessLog
    expect([isOn(production), isOn({})]).toEqual([true, false])
    expect(isOn({ ...production, WIGWAG_LOG_LEVEL: 'silent' })).toBe(false)
    expect(isOn({ WIGWAG_ACCESS_LOG: 'yes' })).toBe(true)
    expect(isOn({ ...production, WIGWAG_ACCESS_LOG: 'no' })).toBe(false)
    expect(() => isOn({ WIGWAG_ACCESS_LOG: 'all' })).toThrow(
      'WIGWAG_ACCESS_LOG: expected yes or no, got "all"',
    )
  })
})
