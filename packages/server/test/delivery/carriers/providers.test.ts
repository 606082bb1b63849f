import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type OpenOptions,
  openCarrier,
  RECEIPTS_URL,
  receiptRequest,
  startProvider,
  submission,
  TICKET,
} from './http-carriers.ts'

const examples = join(import.meta.dirname, '../../../../../examples/carriers')

async function open(example: string, reply: { status?: number; body: unknown }, options: OpenOptions = {}) {
  const provider = await startProvider(reply)
  const templateFile = join(examples, example)
  return { provider, ...openCarrier(provider.url, { templateFile, ...options }) }
}

const formOf = (body = '') => Object.fromEntries(new URLSearchParams(body))

describe('Twilio', () => {
  const user = 'AC00000000000000000000000000000001'
  const created = {
    sid: 'SM0123456789abcdef0123456789abcdef',
    status: 'queued',
    num_segments: '1',
    error_code: null,
  }
  const refused = {
    code: 21211,
    message: "Invalid 'To' Phone Number",
    more_info: 'https://…/21211',
    status: 400,
  }
  const callback = (fields: Record<string, string>) =>
    receiptRequest(
      new URLSearchParams({ MessageSid: created.sid, AccountSid: user, From: '+15017122661', ...fields }),
    )

  it('takes a message', async () => {
    const { provider, carrier } = await open('twilio.json', { status: 201, body: created }, { user })
    const message = submission({ sender: '15017122661' })
    expect(await carrier.submit(message)).toEqual({
      kind: 'accepted',
      refs: [{ part: 0, ref: created.sid }],
      parts: 1,
    })
    const [{ method, url, headers, body } = {}] = provider.seen
    expect([method, url]).toEqual(['POST', `/2010-04-01/Accounts/${user}/Messages.json`])
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${user}:swordfish-2`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(formOf(body)).toEqual({
      To: '+233241234567',
      From: '+15017122661',
      Body: message.content,
      StatusCallback: RECEIPTS_URL,
      ValidityPeriod: '3600',
    })
  })

  it.each([
    [400, refused, { kind: 'rejected', reason: "HTTP 400: Invalid 'To' Phone Number" }],
    [
      401,
      { code: 20003, message: 'Authenticate' },
      { kind: 'later', reason: 'HTTP 401: Authenticate', afterMs: 1_000 },
    ],
    [
      429,
      { code: 20429, message: 'Too Many Requests' },
      { kind: 'later', reason: 'HTTP 429: Too Many Requests', afterMs: 1_000 },
    ],
    [500, { code: 20500 }, { kind: 'uncertain' }],
  ])('answers with HTTP %i', async (status, body, outcome) => {
    const { carrier } = await open('twilio.json', { status, body }, { user })
    expect(roughly(await carrier.submit(submission()))).toEqual(outcome)
  })

  it('reports to the status callback', async () => {
    const { carrier, told } = await open('twilio.json', { status: 201, body: created }, { user })
    expect(await carrier.takeReceipts(callback({ MessageStatus: 'sent' }))).toMatchObject({ status: 204 })
    expect(told.receipts).toEqual([])
    expect(await carrier.takeReceipts(callback({ MessageStatus: 'delivered' }))).toMatchObject({
      status: 204,
    })
    await carrier.takeReceipts(callback({ MessageStatus: 'undelivered', ErrorCode: '30003' }))
    expect(told.receipts).toEqual([
      { ref: created.sid, verdict: 'success' },
      { ref: created.sid, verdict: 'undelivered', reason: '30003' },
    ])
  })
})

describe('Vonage', () => {
  const user = 'abcd1234'
  const accepted = { to: '233241234567', 'message-id': '0A0000000123ABCD1', status: '0', network: '62001' }
  const replied = (message: Record<string, string>) => ({
    body: { 'message-count': '1', messages: [message] },
  })
  const receipt = {
    msisdn: '233241234567',
    to: 'AcmeInc',
    'network-code': '62001',
    messageId: '0A0000000123ABCD1',
    price: '0.0333',
    status: 'delivered',
    scts: '2001011400',
    'err-code': '0',
    'api-key': user,
    'client-ref': TICKET,
  }

  it('takes a message', async () => {
    const { provider, carrier } = await open('vonage.json', replied(accepted), { user })
    const message = submission()
    expect(await carrier.submit(message)).toEqual({
      kind: 'accepted',
      refs: [{ part: 0, ref: '0A0000000123ABCD1' }],
      parts: 1,
    })
    const [{ url, body } = {}] = provider.seen
    expect(url).toBe('/sms/json')
    expect(formOf(body)).toEqual({
      api_key: user,
      api_secret: 'swordfish-2',
      from: 'Ama & Co',
      to: '233241234567',
      text: message.content,
      type: 'unicode',
      ttl: '3600000',
      callback: RECEIPTS_URL,
      'client-ref': TICKET,
    })
    await carrier.submit(submission({ encoding: 'GSM-7' }))
    expect(formOf(provider.seen[1]?.body)).toMatchObject({ type: 'text' })
  })

  it.each([
    ['1', 'Throttled', { kind: 'later', reason: 'HTTP 200: Throttled', afterMs: 1_000 }],
    ['5', 'Internal Error', { kind: 'not_taken', reason: 'HTTP 200: Internal Error' }],
    ['7', 'Number Barred', { kind: 'rejected', reason: 'HTTP 200: Number Barred' }],
    ['99', 'New', { kind: 'uncertain' }],
  ])('answers with status %s', async (status, text, outcome) => {
    const { carrier } = await open('vonage.json', replied({ status, 'error-text': text }), { user })
    expect(roughly(await carrier.submit(submission()))).toEqual(outcome)
  })

  it.each([
    ['a form', (text: string) => receiptRequest(text)],
    ['a query', (query: string) => receiptRequest('', { method: 'GET', query })],
  ])('has at most 100 fields in %s', async (_name, requestOf) => {
    const { carrier } = await open('vonage.json', replied(accepted), { user })
    const given = new URLSearchParams(receipt)
    const filled = (fields: number) => requestOf(`${given}${'&a'.repeat(fields - given.size)}`)
    expect(await carrier.takeReceipts(filled(100))).toMatchObject({ status: 204 })
    expect(await carrier.takeReceipts(filled(101))).toMatchObject({ status: 400 })
    expect(carrier.state().unreadable).toBe(1)
  })

  it.each([
    ['JSON', receiptRequest(receipt)],
    ['a form', receiptRequest(new URLSearchParams(receipt))],
    ['a query', receiptRequest('', { method: 'GET', query: String(new URLSearchParams(receipt)) })],
  ])('sends receipts as %s, with our ticket', async (_name, request) => {
    const { carrier, told } = await open('vonage.json', replied(accepted), { user })
    expect(await carrier.takeReceipts(request)).toMatchObject({ status: 204 })
    expect(told.receipts).toEqual([{ ref: '0A0000000123ABCD1', ticket: TICKET, verdict: 'success' }])
  })
})

describe('Infobip', () => {
  const pending = {
    groupId: 1,
    groupName: 'PENDING',
    id: 26,
    name: 'PENDING_ACCEPTED',
    description: 'Message sent to next instance',
  }
  const replied = (status: object) => ({
    body: {
      bulkId: '2034',
      messages: [
        { messageId: '2250be2d4219', status, destination: '233241234567', details: { messageCount: 1 } },
      ],
    },
  })
  const report = (
    status: object,
    error = { groupId: 0, groupName: 'OK', id: 0, name: 'NO_ERROR', permanent: false },
  ) => ({
    bulkId: '2034',
    messageId: '2250be2d4219',
    to: '233241234567',
    sender: 'Ama',
    callbackData: TICKET,
    status,
    error,
  })
  const delivered = { groupId: 3, groupName: 'DELIVERED', id: 5, name: 'DELIVERED_TO_HANDSET' }
  const toOperator = { groupId: 3, groupName: 'DELIVERED', id: 2, name: 'DELIVERED_TO_OPERATOR' }
  const absent = { groupId: 2, groupName: 'UNDELIVERABLE', id: 9, name: 'UNDELIVERABLE_NOT_DELIVERED' }

  it('takes a message', async () => {
    const { provider, carrier } = await open('infobip.json', replied(pending))
    const message = submission()
    expect(await carrier.submit(message)).toEqual({
      kind: 'accepted',
      refs: [{ part: 0, ref: '2250be2d4219' }],
      parts: 1,
    })
    const [{ url, headers, body = '' } = {}] = provider.seen
    expect(url).toBe('/sms/3/messages')
    expect(headers).toMatchObject({ authorization: 'App swordfish-2', 'content-type': 'application/json' })
    expect(JSON.parse(body)).toEqual({
      messages: [
        {
          sender: 'Ama & Co',
          destinations: [{ to: '233241234567' }],
          content: { text: message.content },
          options: { validityPeriod: { amount: 3600, timeUnit: 'SECONDS' } },
          webhooks: {
            delivery: { url: RECEIPTS_URL },
            contentType: 'application/json',
            callbackData: TICKET,
          },
        },
      ],
    })
  })

  it.each([
    [
      200,
      replied({ groupName: 'REJECTED', name: 'REJECTED_DESTINATION', description: 'By blocklist' }).body,
      { kind: 'rejected', reason: 'HTTP 200: By blocklist' },
    ],
    [
      200,
      replied({ groupName: 'REJECTED', name: 'REJECTED_NOT_ENOUGH_CREDITS', description: 'No credits' }).body,
      { kind: 'later', reason: 'HTTP 200: No credits', afterMs: 1_000 },
    ],
    [
      400,
      { errorCode: 'E400', description: 'Request cannot be processed.', action: '' },
      { kind: 'rejected', reason: 'HTTP 400: Request cannot be processed.' },
    ],
    [
      401,
      { errorCode: 'E401', description: 'The request lacks authentication.' },
      { kind: 'later', reason: 'HTTP 401: The request lacks authentication.', afterMs: 1_000 },
    ],
    [500, { errorCode: 'E500' }, { kind: 'uncertain' }],
  ])('answers with HTTP %i: %j', async (status, body, outcome) => {
    const { carrier } = await open('infobip.json', { status, body })
    expect(roughly(await carrier.submit(submission()))).toEqual(outcome)
  })

  it('sends several reports in one request; one from the operator is not final', async () => {
    const { carrier, told } = await open('infobip.json', replied(pending))
    const error = {
      groupId: 1,
      groupName: 'HANDSET_ERRORS',
      id: 27,
      name: 'EC_ABSENT_SUBSCRIBER',
      permanent: false,
    }
    const results = [report(toOperator), report(delivered), report(absent, error)]
    expect(await carrier.takeReceipts(receiptRequest({ results }))).toMatchObject({ status: 200 })
    expect(told.receipts).toEqual([
      { ref: '2250be2d4219', ticket: TICKET, verdict: 'success' },
      { ref: '2250be2d4219', ticket: TICKET, verdict: 'undelivered', reason: 'EC_ABSENT_SUBSCRIBER' },
    ])
  })
})

describe("Africa's Talking", () => {
  const replied = (recipient: object) => ({
    status: 201,
    body: { SMSMessageData: { Message: 'Sent to 1/1 Total Cost: GHS 0.03', Recipients: [recipient] } },
  })
  const sent = {
    statusCode: 101,
    number: '+233241234567',
    status: 'Success',
    cost: 'GHS 0.03',
    messageId: 'ATXid_1',
  }

  it('takes a message', async () => {
    const { provider, carrier } = await open('africas-talking.json', replied(sent), { user: 'wigwag' })
    const message = submission()
    expect(await carrier.submit(message)).toEqual({
      kind: 'accepted',
      refs: [{ part: 0, ref: 'ATXid_1' }],
      parts: 1,
    })
    const [{ url, headers, body } = {}] = provider.seen
    expect(url).toBe('/version1/messaging')
    expect(headers).toMatchObject({ apikey: 'swordfish-2', accept: 'application/json' })
    expect(formOf(body)).toEqual({
      username: 'wigwag',
      to: '+233241234567',
      message: message.content,
      from: 'Ama & Co',
    })
  })

  it.each([
    [
      replied({ statusCode: 406, status: 'UserInBlacklist', messageId: 'None' }),
      { kind: 'rejected', reason: 'HTTP 201: UserInBlacklist' },
    ],
    [
      replied({ statusCode: 405, status: 'InsufficientBalance' }),
      { kind: 'later', reason: 'HTTP 201: InsufficientBalance', afterMs: 1_000 },
    ],
    [
      { status: 201, body: { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } } },
      { kind: 'rejected', reason: 'HTTP 201: InvalidSenderId' },
    ],
  ])('answers with %j', async (reply, outcome) => {
    const { carrier } = await open('africas-talking.json', reply, { user: 'wigwag' })
    expect(roughly(await carrier.submit(submission()))).toEqual(outcome)
  })

  it('reports deliveries', async () => {
    const { carrier, told } = await open('africas-talking.json', replied(sent), { user: 'wigwag' })
    const fields = { id: 'ATXid_1', phoneNumber: '+233241234567', networkCode: '62001', retryCount: '0' }
    const post = (status: object) =>
      carrier.takeReceipts(receiptRequest(new URLSearchParams({ ...fields, ...status })))
    expect(await post({ status: 'Buffered' })).toMatchObject({ status: 200 })
    expect(await post({ status: 'Failed', failureReason: 'AbsentSubscriber' })).toMatchObject({ status: 200 })
    expect(told.receipts).toEqual([{ ref: 'ATXid_1', verdict: 'undelivered', reason: 'AbsentSubscriber' }])
  })
})

/** How long a rest lasts depends on the clock; here it is the first, of a second. */
function roughly<T extends object>(outcome: T): T {
  return 'afterMs' in outcome
    ? { ...outcome, afterMs: Math.ceil(Number(outcome.afterMs) / 1_000) * 1_000 }
    : outcome
}
