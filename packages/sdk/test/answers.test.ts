import { describe, expect, it } from 'vitest'
import { type Client, type ClientOptions, createClient, GatewayError } from '../src/index.ts'
import { credentials, failure, message, sent, testClock, wordsOf } from './fault-server.ts'

/** A client whose gateway always answers the same. */
function clientOf(answer: () => Response, more: Partial<ClientOptions> = {}): Client {
  const base = { ...credentials, baseUrl: 'https://gateway.test', clock: testClock(), retries: 0 }
  return createClient({ ...base, fetch: answer, ...more } as ClientOptions)
}

const bulk = { From: 'ACME', Content: 'Hello', Recipients: [{ To: '233201234567' }] }
const calls: Record<string, (sms: Client) => Promise<unknown>> = {
  sendSms: (sms) => sms.sendSms(message),
  sendBulkSms: (sms) => sms.sendBulkSms(bulk),
  getTransactionStatus: (sms) => sms.getTransactionStatus('t'),
  getBalance: (sms) => sms.getBalance(),
  'a page of searchMessages': (sms) => sms.searchMessages().page(),
  getMessage: (sms) => sms.getMessage('t'),
  estimateCost: (sms) => sms.estimateCost({ To: '233201234567', Content: 'Hello' }),
  listSenderIds: (sms) => sms.listSenderIds().page(),
}

describe.each(Object.entries(calls))('%s', (_, call) => {
  it.each([{ hello: 1 }, null, 'text', 1, true, [null], [{}]])(
    'does not take the success %j for an answer of a gateway',
    async (body) => {
      const error = await failure(call(clientOf(() => Response.json(body))))
      expect(error).toBeInstanceOf(GatewayError)
      expect(error).toMatchObject({ status: 200, uncertain: true })
    },
  )
})

it('an answer of a gateway may have more than what is documented', async () => {
  const sms = clientOf(() => Response.json({ ...sent, Later: 'than this package' }))
  expect(await sms.sendSms(message)).toMatchObject({ Later: 'than this package' })
})

describe('an answer that is not the documented one', () => {
  it('is named by its type and first words when a proxy wrote it', async () => {
    const page = '<!doctype html>\n<title>Sign in to the Wi-Fi</title>'
    const html = () => new Response(page, { headers: { 'content-type': 'text/html' } })
    const said = await wordsOf(clientOf(html).getBalance())
    expect(said).toBe(
      'getBalance: 200 expected the documented answer; got a page, text/html: Sign in to the Wi-Fi',
    )
  })

  it('is named by its fields alone when it is an object: their values may be numbers and texts', async () => {
    const body = { Destination: '233201234567', Content: 'Hello' }
    const said = await wordsOf(clientOf(() => Response.json(body)).getBalance())
    expect(said).toContain('application/json: {Destination, Content}')
    expect(said).not.toMatch(/2332|Hello/)
  })

  it('is named as a redirect, with where it leads and what to set', async () => {
    const moved = () => new Response(null, { status: 301, headers: { location: 'https://new.example/v1' } })
    expect(await failure(clientOf(moved).sendSms(message))).toMatchObject({
      status: 301,
      uncertain: false,
      message: expect.stringContaining('to https://new.example/v1, which is not followed: set baseUrl'),
    })
  })
})

type Wrong = [operation: string, call: (sms: Client) => Promise<unknown>, answer: unknown, said: string]
const fits = { Ticket: 't', Status: 'pending' }
const two = { ...bulk, Recipients: [{ To: '233201234567' }, { To: '233201234568' }] }

describe('a field that decides and is of another kind', () => {
  it.each<Wrong>([
    ['sendSms', (sms) => sms.sendSms(message), { ...fits, Ticket: 12 }, 'answer.Ticket is of type number'],
    ['sendSms', (sms) => sms.sendSms(message), { ...fits, Ticket: '' }, 'answer.Ticket is empty'],
    ['sendSms', (sms) => sms.sendSms(message), { ...fits, Status: 4 }, 'answer.Status is of type number'],
    ['sendSms', (sms) => sms.sendSms(message), { ...fits, Status: '' }, 'answer.Status is empty'],
    ['sendSms', (sms) => sms.sendSms(message), [fits], 'answer is of type list'],
    ['sendBulkSms', (sms) => sms.sendBulkSms(bulk), fits, 'answer is of type object'],
    ['sendBulkSms', (sms) => sms.sendBulkSms(bulk), [], 'answer.length is 0, and 1 were asked for'],
    ['sendBulkSms', (sms) => sms.sendBulkSms(bulk), [fits, fits], 'answer.length is 2, and 1 were asked for'],
    ['sendBulkSms', (sms) => sms.sendBulkSms(two), [fits], 'answer.length is 1, and 2 were asked for'],
    [
      'sendBulkSms',
      (sms) => sms.sendBulkSms(two),
      [fits, { ...fits, Ticket: 7 }],
      'answer.1.Ticket is of type number',
    ],
    ['getBalance', (sms) => sms.getBalance(), { balance: '71.25' }, 'answer.balance is of type string'],
    [
      'getTransactionStatus',
      (sms) => sms.getTransactionStatus('t'),
      { Status: 7 },
      'answer.Status is of type number',
    ],
    ['listSenderIds', (sms) => sms.listSenderIds().page(), { Items: {} }, 'answer.Items is of type object'],
    ['searchMessages', (sms) => sms.searchMessages().page(), { Items: {} }, 'answer.Items is of type object'],
    [
      'listScheduledSms',
      (sms) => sms.listScheduledSms().page(),
      { Items: [null] },
      'answer.Items.0 is of type null',
    ],
  ])('leaves %s uncertain, and is named', async (operation, call, body, said) => {
    const error = await failure(call(clientOf(() => Response.json(body))))
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ operation, status: 200, uncertain: true, body })
    expect(error).toHaveProperty('message', expect.stringContaining(said))
  })

  it('leaves a send with its key, which repeats it without sending twice', async () => {
    let asked = 0
    const keys: unknown[] = []
    const fetch: ClientOptions['fetch'] = (_, init) => {
      keys.push(init.headers['idempotency-key'])
      return Response.json(asked++ ? [fits, fits] : [fits])
    }
    const sms = clientOf(() => Response.json({}), { fetch })
    const error = await failure(sms.sendBulkSms(two))
    if (!(error instanceof GatewayError)) throw error
    const { idempotencyKey = '' } = error
    expect(await sms.sendBulkSms(two, { idempotencyKey })).toEqual([fits, fits])
    expect(keys).toEqual([idempotencyKey, idempotencyKey])
  })
})

describe('waiting and listing', () => {
  it('takes no status that is not a text for a final one, and asks on', async () => {
    let asked = 0
    const answer = () => Response.json({ Status: asked++ ? 'success' : 7 })
    expect(await clientOf(answer).waitForFinal('t')).toEqual({ Status: 'success' })
    const wrong = clientOf(() => Response.json({ Status: 7 }))
    expect(await failure(wrong.waitForFinal('t', { timeout: 1_000 }))).toMatchObject({ name: 'GatewayError' })
  })

  it('takes no answer without a status for a final one', async () => {
    expect(
      await failure(clientOf(() => Response.json({})).waitForFinal('t', { timeout: 1_000 })),
    ).toMatchObject({
      name: 'GatewayError',
      status: 200,
    })
  })

  it.each([1, 3])('ends with an error when cursors repeat after %i pages', async (period) => {
    let page = 0
    const sms = clientOf(() =>
      Response.json({ Items: [{ MessageId: 'm', Status: 'failed' }], NextCursor: `c${page++ % period}` }),
    )
    const read = async () => {
      for await (const _ of sms.searchMessages()) if (page > 50) throw new Error('it did not end')
    }
    expect(await failure(read())).toMatchObject({
      name: 'GatewayError',
      status: 200,
      operation: 'searchMessages',
      message: expect.stringContaining('NextCursor again'),
    })
  })
})
