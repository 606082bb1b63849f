import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { type Client, createClient, type FetchInit, type OperationId } from '../src/index.ts'
import { createRawClient } from '../src/raw.ts'
import { credentials, failure, faultServer, json, message, sent } from './fault-server.ts'
import { carriers } from './transports.ts'

const bulk = { From: 'ACME', Content: 'Hello', Recipients: [{ To: '233201234567', Reference: 'a' }] }
const scheduled = { ...message, SendAt: '2026-12-01T08:00:00+01:00' }

/** Every operation, called through its method. */
const calls = {
  sendSms: (sms) => sms.sendSms(message),
  sendBulkSms: (sms) => sms.sendBulkSms(bulk),
  getTransactionStatus: (sms) => sms.getTransactionStatus('a/b'),
  getBalance: (sms) => sms.getBalance(),
  listLedger: (sms) => sms.listLedger({ DateFrom: '2026-11-13T00:00:00Z' }).page(),
  searchMessages: (sms) => sms.searchMessages({ Status: 'failed', Limit: 5 }).page('next'),
  getMessage: (sms) => sms.getMessage('a/b'),
  estimateCost: (sms) => sms.estimateCost({ To: '233201234567', Content: 'Hello' }),
  scheduleSms: (sms) => sms.scheduleSms(scheduled),
  listScheduledSms: (sms) => sms.listScheduledSms().page(),
  cancelScheduledSms: (sms) => sms.cancelScheduledSms('a/b'),
  listSenderIds: (sms) => sms.listSenderIds().page(),
  requestSenderId: (sms) => sms.requestSenderId({ SenderId: 'WIGSHOP' }),
  listKeys: (sms) => sms.listKeys().page(),
  rotateKey: (sms) => sms.rotateKey('a/b', { KeepOldFor: 'P1D' }),
  getRates: (sms) => sms.getRates('GH'),
  deliveryInsights: (sms) => sms.getDeliveryInsights({ GroupBy: 'day', DateFrom: '2026-11-13T00:00:00Z' }),
  listCallbacks: (sms) => sms.listCallbacks({ State: 'dead' }).page(),
  replayCallback: (sms) => sms.replayCallback('a/b'),
  replayFailedCallbacks: (sms) => sms.replayFailedCallbacks({ Since: '2026-11-20T06:00:00Z' }),
} satisfies Record<OperationId, (sms: Client) => Promise<unknown>>

const queries: Partial<Record<OperationId, string>> = {
  listLedger: '?DateFrom=2026-11-13T00%3A00%3A00Z',
  searchMessages: '?Status=failed&Limit=5&Cursor=next',
  deliveryInsights: '?GroupBy=day&DateFrom=2026-11-13T00%3A00%3A00Z',
  listCallbacks: '?State=dead',
}

const bodies: Partial<Record<OperationId, unknown>> = {
  sendSms: message,
  sendBulkSms: bulk,
  estimateCost: { To: '233201234567', Content: 'Hello' },
  scheduleSms: scheduled,
  requestSenderId: { SenderId: 'WIGSHOP' },
  rotateKey: { KeepOldFor: 'P1D' },
  replayFailedCallbacks: { Since: '2026-11-20T06:00:00Z' },
}

/** Has what an answer of any operation must have. */
const anything = {
  ...sent,
  balance: 1,
  Items: [],
  SenderId: 'ACME',
  Secret: 's',
  Networks: [],
  Totals: {},
  State: 'dead',
  Replayed: 0,
}

interface Operation {
  operationId: OperationId
  security?: Record<string, unknown>[]
  parameters?: { $ref?: string }[]
}

const document: { security: Record<string, unknown>[]; paths: Record<string, Record<string, Operation>> } =
  parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

describe.each(carriers)('over %s', (_, carrier) => {
  describe('every operation of the document', () => {
    it('has a method', () => {
      expect(Object.keys(calls).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
    })

    it.each(operations)('$operationId is called as the document says', async (operation) => {
      const answer = operation.operationId === 'sendBulkSms' ? [sent] : anything
      await using server = await faultServer(json(200, answer))
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: `${server.baseUrl}/` })
      expect(await calls[operation.operationId](sms)).toEqual(answer)
      const [request] = server.seen
      const path = operation.path.replace(/\{country\}/, 'GH').replace(/\{\w+\}/, 'a%2Fb')
      expect(request).toMatchObject({
        method: operation.method.toUpperCase(),
        url: path + (queries[operation.operationId] ?? ''),
        headers: { authorization: `Basic ${btoa('acme:secret')}` },
      })
      const wantsWallet = (operation.security ?? document.security).some((scheme) => 'walletToken' in scheme)
      expect(request?.headers['x-wallet']).toBe(wantsWallet ? 'Token wallet-token' : undefined)
      const takesKey = operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) ?? false
      expect('idempotency-key' in (request?.headers ?? {})).toBe(takesKey)
      expect(request?.body ? JSON.parse(request.body) : undefined).toEqual(bodies[operation.operationId])
      if (request?.body) expect(request.headers['content-type']).toBe('application/json')
    })
  })

  describe('a request', () => {
    it('says its content type when it reads the balance, as the specification has it', async () => {
      await using server = await faultServer(json(200, anything))
      await createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl }).getBalance()
      expect(server.seen[0]?.headers['content-type']).toBe('application/json')
    })

    it('carries a delegated token alone when there is one', async () => {
      await using server = await faultServer(json(200, anything))
      await createClient({ accessToken: 'delegated', ...carrier(), baseUrl: server.baseUrl }).getBalance()
      expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer delegated' })
      expect(server.seen[0]?.headers).not.toHaveProperty('x-wallet')
    })

    it('carries credentials that are not ASCII as UTF-8', async () => {
      await using server = await faultServer(json(200, anything))
      await createClient({
        ...credentials,
        clientSecret: 'clé✓',
        ...carrier(),
        baseUrl: server.baseUrl,
      }).getBalance()
      const basic = server.seen[0]?.headers.authorization?.slice('Basic '.length) ?? ''
      expect(Buffer.from(basic, 'base64').toString('utf8')).toBe('acme:clé✓')
    })

    it('carries the headers of the client and of the call', async () => {
      await using server = await faultServer(json(200, anything))
      const sms = createClient({
        ...credentials,
        ...carrier(),
        baseUrl: server.baseUrl,
        headers: { 'x-app': 'shop' },
      })
      await sms.getBalance({ headers: { traceparent: '00-1-2-00' } })
      expect(server.seen[0]?.headers).toMatchObject({ 'x-app': 'shop', traceparent: '00-1-2-00' })
    })

    it('is not made without credentials', async () => {
      const baseUrl = 'http://127.0.0.1:8080'
      for (const given of [{ ...credentials, walletToken: '' }, { accessToken: '' }]) {
        const error = await failure(createClient({ ...given, baseUrl }).getBalance())
        expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('walletToken') })
      }
    })

    it('carries a Date as a time in ISO 8601, in a body and in a query', async () => {
      await using server = await faultServer(json(200, anything))
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl })
      const at = new Date('2026-12-01T08:00:00+01:00')
      await sms.scheduleSms({ ...message, SendAt: at })
      await sms.searchMessages({ DateFrom: at, Status: 'failed' }).page()
      expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
        ...message,
        SendAt: '2026-12-01T07:00:00.000Z',
      })
      expect(server.seen[1]?.url).toBe('/v1/messages?DateFrom=2026-12-01T07%3A00%3A00.000Z&Status=failed')
    })

    it('is not made with a Date that is none', async () => {
      const fetch = vi.fn(() => Response.json(anything))
      const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
      const at = new Date('tomorrow')
      const said = (name: string) => new TypeError(`Expected ${name} to be a time; got Invalid Date.`)
      expect(await failure(sms.scheduleSms({ ...message, SendAt: at }))).toEqual(said('SendAt'))
      expect(await failure(sms.searchMessages({ DateTo: at }).page())).toEqual(said('DateTo'))
      expect(fetch).not.toHaveBeenCalled()
    })

    it.each(['', '.', '..'])('is not made for the ID %j, which would ask for something else', async (id) => {
      const requests: string[] = []
      const fetch = (url: string) => {
        requests.push(url)
        return Response.json(sent)
      }
      const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
      const calls = [sms.getTransactionStatus, sms.getMessage, sms.cancelScheduledSms, sms.replayCallback]
      for (const call of [...calls, sms.getRates, sms.waitForFinal]) {
        expect(await failure(call(id))).toBeInstanceOf(TypeError)
      }
      expect(requests).toEqual([])
    })

    it("is not made to an address that can't be one: no client is", () => {
      expect(() => createClient({ ...credentials, baseUrl: '127.0.0.1:8080' })).toThrow(TypeError)
      expect(() => createClient({ ...credentials, baseUrl: '' })).toThrow(TypeError)
    })

    it('goes through the fetch that was given', async () => {
      const seen: string[] = []
      const fetch = (url: string, { method }: FetchInit) => {
        seen.push(`${method} ${url}`)
        return Response.json(sent)
      }
      const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test/base', fetch })
      expect(await sms.sendSms(message)).toEqual(sent)
      expect(seen).toEqual(['POST https://gateway.test/base/v1/messages/sms'])
    })
  })

  describe('raw', () => {
    it('is typed by the document and carries the credentials', async () => {
      await using server = await faultServer(
        json(200, { balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }),
      )
      const raw = createRawClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl })
      const { data } = await raw.GET('/v1/account/balance')
      expect(data?.currency).toBe('GHS')
      expect(server.seen[0]?.headers).toMatchObject({ 'x-wallet': 'Token wallet-token' })
    })
  })
})

describe('withResponse', () => {
  it('gives the response beside the documented object', async () => {
    const fetch = () =>
      Response.json(sent, { headers: { 'x-request-id': 'request-1', 'idempotent-replayed': 'true' } })
    const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
    const { data, response } = await sms.sendSms(message).withResponse()
    expect(data).toEqual(sent)
    expect(response.headers.get('idempotent-replayed')).toBe('true')
  })

  it('makes one request, and leaves no rejection unhandled when it fails', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    let requests = 0
    const fetch = () => {
      requests++
      return Response.json({}, { status: 403 })
    }
    const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
    expect(await failure(sms.getBalance().withResponse())).toMatchObject({ status: 403 })
    // A rejection that nobody handles is told before the next turn.
    await new Promise((go) => setImmediate(go))
    process.off('unhandledRejection', listen)
    expect({ requests, unhandled }).toEqual({ requests: 1, unhandled: [] })
  })
})
