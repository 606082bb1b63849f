import { describe, expect, it } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import {
  failedDuring,
  type Outbound,
  type OutboundRequest,
  type OutboundResult,
} from '../../../src/net/outbound/port.ts'
import { startRawReceiver } from '../../platform/outbound/receiver.ts'
import { eventually } from '../../support/eventually.ts'
import { handClock } from '../../support/hand-clock.ts'
import { TEMPLATE } from '../plan/plans.ts'
import {
  type GivenReply,
  openCarrier,
  receiptRequest,
  startProvider,
  submission,
  TICKET,
} from './http-carriers.ts'

const ACCEPTED = { kind: 'accepted', refs: [{ part: 0, ref: 'ref-1' }], parts: 1 }
const { replies, receipts } = TEMPLATE

/** A provider that answers when it is told to. */
async function slowProvider(reply: GivenReply = { body: { id: 'ref-1' } }) {
  const provider = await startProvider()
  const answers: (() => void)[] = []
  provider.reply = () => new Promise((resolve) => answers.push(() => resolve(reply)))
  return { provider, answers }
}

/** The first requests arrive, but their answers don't; their time is over when the test says so. */
function losing(count: number) {
  const ends: (() => void)[] = []
  const timeouts: number[] = []
  return {
    timeouts,
    timeOut: () => {
      for (const end of ends) end()
    },
    outbound: (real: Outbound) => (request: OutboundRequest) => {
      const answer = real(request)
      if (timeouts.push(request.timeoutMs) > count) return answer
      return new Promise<OutboundResult>((resolve) =>
        ends.push(() => resolve({ ...failedDuring('timeout', 'the deadline passed'), latencyMs: 1_000 })),
      )
    },
  }
}

describe('a request to a carrier', () => {
  it('is filled in, escaped for where each value stands', async () => {
    const provider = await startProvider()
    const request = {
      method: 'GET',
      url: '{url}/send?to={recipient}&from={sender}&text={content}',
      headers: { 'X-Text': 'text {content}', Authorization: 'Bearer {secret}' },
    }
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, request } })
    expect(await carrier.submit(submission())).toEqual(ACCEPTED)
    const [{ method, url, headers } = {}] = provider.seen
    expect([method, url]).toEqual([
      'GET',
      '/send?to=233241234567&from=Ama%20%26%20Co&text=Gr%C3%BC%C3%9Fe%20%F0%9F%98%80%20%26%20%22more%22%0D%0A%2B',
    ])
    expect(headers).toMatchObject({
      'x-text': 'text Gr%C3%BC%C3%9Fe %F0%9F%98%80 & "more"%0D%0A+',
      authorization: 'Bearer swordfish-2',
    })
  })

  it('holds JSON with placeholders at any depth, and numbers where a number stands alone', async () => {
    const provider = await startProvider()
    const json = {
      a: [{ b: '{content}' }],
      n: '{validityMinutes}',
      t: 'in {validityMinutes}',
      c: 1,
      d: null,
      e: true,
    }
    const clock = handClock()
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, request: { json } }, clock })
    const expiresAt = epochMs(clock.now() + 3_600_500)
    const message = submission({ content: '", "x": "\ud800', expiresAt })
    await carrier.submit(message)
    expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({
      a: [{ b: message.content }],
      n: 60,
      t: 'in 60',
      c: 1,
      d: null,
      e: true,
    })
  })

  it('says how long the message is valid, within the bounds of the provider', async () => {
    const provider = await startProvider()
    const request = { form: { s: '{validitySeconds}' }, validitySeconds: { least: 20, most: 60 } }
    const clock = handClock()
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, request }, clock })
    for (const seconds of [-5, 40, 4_000]) {
      await carrier.submit(submission({ expiresAt: epochMs(clock.now() + seconds * 1_000 + 500) }))
    }
    expect(provider.seen.map(({ body }) => body)).toEqual(['s=20', 's=40', 's=60'])
  })

  it('is not sent for a message that was taken already', async () => {
    const provider = await startProvider()
    const { carrier } = openCarrier(provider.url)
    expect(await carrier.submit(submission({ taken: [0] }))).toEqual({ kind: 'accepted', refs: [], parts: 1 })
    expect(provider.seen).toEqual([])
  })

  it('that cannot be written is certainly not taken', async () => {
    const provider = await startProvider()
    const { carrier, told } = openCarrier(provider.url)
    const broken = new RangeError('on purpose')
    const message = Object.defineProperty(submission(), 'content', {
      get() {
        throw broken
      },
    })
    expect(await carrier.submit(message)).toEqual({ kind: 'not_taken', reason: 'it cannot be written' })
    expect([told.faults, provider.seen]).toEqual([[broken], []])
  })

  it('is sent once, also when the provider closes the connection at that instant', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"id":"ref-1"}')
        socket.once('data', () => socket.resetAndDestroy())
      })
    })
    const { carrier } = openCarrier(receiver.url)
    expect(await carrier.submit(submission())).toEqual(ACCEPTED)
    expect(await carrier.submit(submission())).toEqual({ kind: 'uncertain' })
    expect(receiver.received().match(/POST/g)).toHaveLength(2)
  })
})

describe('a reply', () => {
  const rules = [
    { status: [200, 201], where: { 'list.0.ok': [true, 'yes'] }, outcome: 'accepted', ref: 'list.0.id' },
    { status: '4xx', where: { code: 7 }, outcome: 'rejected', reason: 'text' },
    { where: { code: 8 }, outcome: 'not_taken', reason: 'text' },
  ]
  it.each([
    [200, { list: [{ ok: true, id: 'a' }] }, { kind: 'accepted', refs: [{ part: 0, ref: 'a' }] }],
    [
      201,
      '{"list":[{"ok":"yes","id":12345678901234567890}]}',
      { kind: 'accepted', refs: [{ part: 0, ref: '12345678901234567890' }] },
    ],
    [200, { list: [{ ok: true }] }, { kind: 'uncertain' }],
    [202, { list: [{ ok: true, id: 'a' }] }, { kind: 'uncertain' }],
    [422, { code: 7, text: 'no swordfish-2 here' }, { kind: 'rejected', reason: 'HTTP 422: no … here' }],
    [200, { code: 8, text: 'x'.repeat(500) }, { kind: 'not_taken', reason: `HTTP 200: ${'x'.repeat(190)}` }],
    [404, 'no JSON', { kind: 'not_taken', reason: 'HTTP 404' }],
    [408, '', { kind: 'uncertain' }],
    [302, '', { kind: 'uncertain' }],
    [500, '', { kind: 'uncertain' }],
    [503, '', { kind: 'later', reason: 'HTTP 503' }],
    [200, `{"list":[{"ok":true,"id":"a"}],"more":"${'x'.repeat(70_000)}"}`, { kind: 'uncertain' }],
  ])('of HTTP %i %j', async (status, body, outcome) => {
    const provider = await startProvider({ status, body })
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, replies: { rules } } })
    expect(await carrier.submit(submission())).toMatchObject(outcome)
  })

  it.each([
    ['the longest', 'r'.repeat(255), 'r'.repeat(255)],
    ['one that is longer', 'r'.repeat(256), TICKET],
    ['one with a space', 'ref 1', TICKET],
    ['one with a NUL', 'ref\0', TICKET],
    ['one with half a character', '\ud800', TICKET],
  ])('keeps the message when its reference cannot be used: %s', async (_which, id, ref) => {
    const provider = await startProvider({ body: { id } })
    expect(await openCarrier(provider.url).carrier.submit(submission())).toEqual({
      kind: 'accepted',
      refs: [{ part: 0, ref }],
      parts: 1,
    })
  })

  it.each([
    ['without control characters and half characters', 'a\0b\u001b[1m\u0085\ud800', 'ab[1m\ufffd'],
    ['cut between characters', '😀'.repeat(300), '😀'.repeat(190)],
    ['without a part of the secret', `${'x'.repeat(187)}swordfish-2`, `${'x'.repeat(187)}…`],
  ])('gives its reason %s', async (_how, text, reason) => {
    const provider = await startProvider({ status: 422, body: { code: 7, text } })
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, replies: { rules } } })
    expect(await carrier.submit(submission())).toEqual({ kind: 'rejected', reason: `HTTP 422: ${reason}` })
  })

  it('may be a text or a form', async () => {
    const provider = await startProvider({ body: 'OK: 4711\n' })
    const pattern = '^(?<word>\\w+): (?<id>\\d+)'
    const textRules = [{ where: { word: 'OK' }, outcome: 'accepted', ref: 'id' }]
    const text = { ...TEMPLATE, replies: { format: 'text', pattern, rules: textRules } }
    const outcome = { kind: 'accepted', refs: [{ part: 0, ref: '4711' }] }
    expect(await openCarrier(provider.url, { template: text }).carrier.submit(submission())).toMatchObject(
      outcome,
    )
    provider.reply = () => ({ body: 'result=0&message.id=4711' })
    const formRules = [{ where: { result: 0 }, outcome: 'accepted', ref: 'message.id' }]
    const form = { ...TEMPLATE, replies: { format: 'form', rules: formRules } }
    expect(await openCarrier(provider.url, { template: form }).carrier.submit(submission())).toMatchObject(
      outcome,
    )
  })

  it('needs no reference when receipts name our ticket', async () => {
    const provider = await startProvider({ body: 'fine' })
    const template = {
      ...TEMPLATE,
      replies: { rules: [{ status: 200, outcome: 'accepted' }] },
      receipts: { ...receipts, ref: undefined, ticket: 'ours' },
    }
    const { carrier, told } = openCarrier(provider.url, { template })
    expect(await carrier.submit(submission())).toMatchObject({ refs: [{ part: 0, ref: TICKET }] })
    await carrier.takeReceipts(receiptRequest({ ours: TICKET.toUpperCase(), state: 'ok' }))
    expect(told.receipts).toEqual([{ ref: TICKET, ticket: TICKET, verdict: 'success' }])
    expect(await carrier.takeReceipts(receiptRequest({ ours: 'theirs', state: 'ok' }))).toMatchObject({
      status: 400,
    })
  })

  it('that does not come leaves the outcome uncertain', async () => {
    const provider = await startProvider()
    provider.reply = () => undefined
    const lost = losing(1)
    const { carrier } = openCarrier(provider.url, { settings: { timeoutMs: 1_000 }, ...lost })
    const outcome = carrier.submit(submission())
    await eventually('the request arrives', () => provider.seen.length === 1)
    lost.timeOut()
    expect(await outcome).toEqual({ kind: 'uncertain' })
    expect(lost.timeouts).toEqual([1_000])
    expect(carrier.state()).toMatchObject({ inWindow: 0 })
  })
})

describe('the pace of a carrier', () => {
  it('is no more requests at a time than its window', async () => {
    const { provider, answers } = await slowProvider()
    const { carrier, told } = openCarrier(provider.url, { settings: { window: 2 } })
    expect(carrier.capacity()).toBe(2)
    const outcomes = [1, 2, 3].map(() => carrier.submit(submission()))
    await eventually('the requests arrive', () => answers.length === 2)
    expect([carrier.capacity(), carrier.state().inWindow]).toEqual([0, 2])
    answers.shift()?.()
    await eventually('the requests arrive', () => provider.seen.length === 3)
    expect(told.changes).toBeGreaterThan(0)
    await eventually('the requests arrive', () => answers.length === 2)
    for (const answer of answers) answer()
    expect(await Promise.all(outcomes)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED])
    expect(carrier.capacity()).toBe(2)
  })

  it('is no more requests a second than it may, and what waits for long comes later', async () => {
    const provider = await startProvider()
    const clock = handClock()
    const { carrier } = openCarrier(provider.url, { settings: { tps: 2 }, clock })
    expect(carrier.capacity()).toBe(1)
    const outcomes = Array.from({ length: 25 }, () => carrier.submit(submission()))
    await eventually('the requests arrive', () => provider.seen.length === 1)
    for (let second = 1; second <= 9; second++) {
      clock.pass(1_000)
      await eventually('the requests arrive', () => provider.seen.length === 1 + 2 * second)
    }
    clock.pass(1_000)
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'accepted').length).toBeGreaterThanOrEqual(19)
    expect(kinds.slice(-4)).toEqual(['later', 'later', 'later', 'later'])
  })
})

describe('a carrier that asks for fewer messages', () => {
  const busy = { status: 429, body: {} }

  it('rests a second, then twice as long each time, up to half a minute', async () => {
    const provider = await startProvider(busy)
    const clock = handClock()
    const { carrier, told } = openCarrier(provider.url, { clock })
    for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      expect(await carrier.submit(submission())).toEqual({
        kind: 'later',
        reason: 'HTTP 429',
        afterMs: restMs,
      })
      expect(carrier.state()).toMatchObject({ kind: 'resting', reason: 'HTTP 429' })
      expect(carrier.capacity()).toBe(0)
      clock.pass(restMs - 1)
      expect(carrier.capacity()).toBe(0)
      const before = told.changes
      clock.pass(1)
      expect([carrier.capacity(), told.changes]).toEqual([10, before + 1])
    }
    expect(carrier.state()).toMatchObject({ kind: 'up', rests: 7 })
    provider.reply = () => ({ body: { id: 'ref-1' } })
    expect(await carrier.submit(submission())).toEqual(ACCEPTED)
    provider.reply = () => busy
    expect(await carrier.submit(submission())).toMatchObject({ afterMs: 1_000 })
  })

  it.each([
    ['7', 7_000],
    ['9999', 300_000],
    ['0', 1_000],
    ['soon', 1_000],
    // The clock of these tests stands in November 2023.
    ['Tue, 14 Nov 2023 22:30:40 GMT', 40_000],
  ])('rests as long as it asks for with Retry-After: %s', async (value, restMs) => {
    const provider = await startProvider({ ...busy, headers: { 'retry-after': value } })
    const { carrier } = openCarrier(provider.url, { clock: handClock() })
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'later', afterMs: restMs })
  })

  it('gets nothing while it rests, not even what waited already', async () => {
    const { provider, answers } = await slowProvider(busy)
    const { carrier } = openCarrier(provider.url, { settings: { window: 1 }, clock: handClock() })
    const outcomes = [1, 2, 3].map(() => carrier.submit(submission()))
    await eventually('the request arrives', () => answers.length === 1)
    answers[0]?.()
    outcomes.push(Promise.all(outcomes).then(() => carrier.submit(submission())))
    expect(await Promise.all(outcomes)).toEqual(
      outcomes.map(() => ({ kind: 'later', reason: 'HTTP 429', afterMs: 1_000 })),
    )
    expect(provider.seen).toHaveLength(1)
  })
})

describe('a carrier that is away', () => {
  it.each([
    ['refuses connections', 'http://127.0.0.1:1', 'no connection (ECONNREFUSED)', [1_000, 2_000]],
    ['speaks no TLS', 'https', 'TLS: ', [1_000, 2_000]],
    ['does not finish the handshake', 'silence', 'the deadline passed', [1_000]],
  ])('costs no message an attempt, however long the outage is: it %s', async (_why, place, reason, rests) => {
    const raw = await startRawReceiver((socket) => {
      if (place === 'https') socket.end('no TLS here')
    })
    const url = place.startsWith('http:') ? place : raw.url.slice(0, -1).replace('http:', 'https:')
    const clock = handClock()
    const outbound = (real: Outbound) => (request: OutboundRequest) =>
      real(place === 'silence' ? { ...request, timeoutMs: 20 } : request)
    const { carrier } = openCarrier(url, { clock, outbound })
    for (const restMs of rests) {
      const outcome = await carrier.submit(submission())
      expect(outcome).toEqual({ kind: 'later', reason: expect.stringContaining(reason), afterMs: restMs })
      expect(carrier.state()).toMatchObject({ kind: 'away', reason: expect.stringContaining(reason) })
      expect(await carrier.submit(submission())).toEqual(outcome)
      clock.pass(restMs - 1)
      expect(carrier.capacity()).toBe(0)
      clock.pass(1)
      expect(carrier.capacity()).toBe(1)
    }
  })

  it('is tried with one message until it answers, and is not up before', async () => {
    const { provider, answers } = await slowProvider()
    let isBack = false
    const clock = handClock()
    const { carrier, told } = openCarrier(provider.url, {
      clock,
      outbound: (real) => (request) => real(isBack ? request : { ...request, url: 'http://127.0.0.1:1' }),
    })
    await carrier.submit(submission())
    clock.pass(1_000)
    const unproven = { kind: 'resting', reason: 'no connection (ECONNREFUSED)' }
    expect([carrier.state(), carrier.capacity()]).toMatchObject([unproven, 1])
    isBack = true
    const probe = carrier.submit(submission())
    expect([carrier.state(), carrier.capacity()]).toMatchObject([unproven, 0])
    await eventually('the request arrives', () => answers.length === 1)
    const before = told.changes
    answers[0]?.()
    expect(await probe).toEqual(ACCEPTED)
    await eventually('the change is told', () => told.changes > before)
    expect([carrier.state(), carrier.capacity()]).toMatchObject([{ kind: 'up', reason: '' }, 10])
  })

  it('is one that takes requests and answers none; one at a time finds out whether it is back', async () => {
    const { provider, answers } = await slowProvider()
    const clock = handClock()
    const lost = losing(2)
    const { carrier } = openCarrier(provider.url, { clock, ...lost })
    const outcomes = [1, 2].map(() => carrier.submit(submission()))
    await eventually('the requests arrive', () => answers.length === 2)
    lost.timeOut()
    expect(await Promise.all(outcomes)).toEqual([{ kind: 'uncertain' }, { kind: 'uncertain' }])
    const reason = 'the carrier does not answer'
    expect([carrier.state(), carrier.capacity()]).toMatchObject([{ kind: 'away', reason, rests: 1 }, 0])
    expect(await carrier.submit(submission())).toEqual({ kind: 'later', reason, afterMs: 1_000 })
    clock.pass(1_000)
    expect([carrier.state(), carrier.capacity()]).toMatchObject([{ kind: 'resting', reason }, 1])
    const probe = carrier.submit(submission())
    await eventually('the request arrives', () => answers.length === 3)
    answers[2]?.()
    expect(await probe).toEqual(ACCEPTED)
    expect([carrier.state(), carrier.capacity()]).toMatchObject([{ kind: 'up' }, 10])
  })

  it('is not one that leaves a single request unanswered', async () => {
    const { provider, answers } = await slowProvider()
    const clock = handClock()
    const { outbound, timeOut } = losing(1)
    const { carrier } = openCarrier(provider.url, { clock, outbound })
    const lost = carrier.submit(submission())
    await eventually('the request arrives', () => answers.length === 1)
    clock.pass(1)
    const other = carrier.submit(submission())
    await eventually('the request arrives', () => answers.length === 2)
    answers[1]?.()
    expect(await other).toEqual(ACCEPTED)
    timeOut()
    expect(await lost).toEqual({ kind: 'uncertain' })
    expect(carrier.state()).toMatchObject({ kind: 'up', rests: 0 })
  })

  it('is not what an address inside our network says: the message counts an attempt, and nothing rests', async () => {
    const provider = await startProvider()
    const { carrier } = openCarrier(provider.url.replace('127.0.0.1', '10.0.0.1'))
    expect(await carrier.submit(submission())).toEqual({
      kind: 'not_taken',
      reason: 'the host is a private address',
    })
    expect([carrier.state(), carrier.capacity()]).toMatchObject([{ kind: 'up', rests: 0 }, 10])
  })

  it('is not what a request says that cannot be built', async () => {
    const provider = await startProvider()
    const request = { headers: { 'X-Text': '{content}\u0000' } }
    const { carrier } = openCarrier(provider.url, { template: { ...TEMPLATE, request } })
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'not_taken' })
    expect(carrier.state()).toMatchObject({ kind: 'up', rests: 0 })
  })
})

describe('receipts', () => {
  const open = async (changes: object = {}) => {
    const provider = await startProvider()
    return openCarrier(provider.url, { template: { ...TEMPLATE, receipts: { ...receipts, ...changes } } })
  }

  it('may come alone, as a list, or in one', async () => {
    const one = { id: 'a', state: 'ok' }
    const { carrier, told } = await open()
    expect(carrier).toMatchObject({ receipts: 'one', query: undefined, unanswered: 'hold' })
    expect(await carrier.takeReceipts(receiptRequest(one))).toEqual({
      status: 200,
      body: '',
      contentType: 'text/plain; charset=utf-8',
    })
    await carrier.takeReceipts(receiptRequest([one, { ...one, id: 12345678901234567n.toString() }]))
    const listed = await open({ list: 'all.of' })
    await listed.carrier.takeReceipts(receiptRequest({ all: { of: [one, one] } }))
    expect([...told.receipts, ...listed.told.receipts].map(({ ref }) => ref)).toEqual([
      'a',
      'a',
      '12345678901234567',
      'a',
      'a',
    ])
  })

  it.each([
    'no JSON',
    '',
    '[]',
    '{"id":"a","state":"new"}',
    '{"id":"a"}',
    '{"state":"ok"}',
    '{"id":{},"state":"ok"}',
    '{"id":"","state":"ok"}',
    '{"id":"a b","state":"ok"}',
    '{"id":"a\\u0000","state":"ok"}',
    `{"id":"${'a'.repeat(256)}","state":"ok"}`,
    '"ok"',
    'null',
  ])('that cannot be read are counted and refused: %s', async (body) => {
    const { carrier, told } = await open()
    expect(await carrier.takeReceipts(receiptRequest(body))).toMatchObject({ status: 400 })
    expect(carrier.state().unreadable).toBe(1)
    expect(told.receipts).toEqual([])
  })

  it('that can be read are taken, also beside others', async () => {
    const { carrier, told } = await open({ progress: ['sent'] })
    const list = [
      { id: 'a', state: 'ok' },
      { id: 'b', state: 'new' },
      { id: 'c', state: 'sent' },
    ]
    expect(await carrier.takeReceipts(receiptRequest(list))).toMatchObject({ status: 200 })
    expect(told.receipts).toEqual([{ ref: 'a', verdict: 'success' }])
    expect(carrier.state().unreadable).toBe(1)
  })

  it('give their reasons without control characters, cut between characters', async () => {
    const { carrier, told } = await open({ reason: 'why', verdicts: { bad: 'failed' } })
    const texts = ['a\0b\n\ud800', '😀'.repeat(300), '\0']
    for (const why of texts) await carrier.takeReceipts(receiptRequest({ id: 'a', state: 'bad', why }))
    expect(told.receipts).toEqual([
      { ref: 'a', verdict: 'failed', reason: 'ab\ufffd' },
      { ref: 'a', verdict: 'failed', reason: '😀'.repeat(200) },
      { ref: 'a', verdict: 'failed' },
    ])
  })

  it('are sent again by the provider when they could not be stored', async () => {
    const { carrier, told } = await open()
    const request = () => receiptRequest({ id: 'a', state: 'ok' })
    const fault = new Error('the database is away')
    told.take = () => Promise.reject(fault)
    expect(await carrier.takeReceipts(request())).toMatchObject({ status: 503 })
    expect(told.faults).toEqual([fault])
    told.take = async () => {}
    expect(await carrier.takeReceipts(request())).toMatchObject({ status: 200 })
    await carrier.close(0)
    expect(await carrier.takeReceipts(request())).toMatchObject({ status: 503 })
  })

  it('are not taken from a provider that sends none', async () => {
    const provider = await startProvider()
    const { carrier } = openCarrier(provider.url, {
      template: { request: {}, replies },
      settings: { passwordEnv: undefined },
    })
    expect(await carrier.takeReceipts(receiptRequest({}))).toMatchObject({ status: 404 })
  })
})

describe('closing', () => {
  it('waits for answers, and takes nothing more', async () => {
    const { provider, answers } = await slowProvider()
    const { carrier } = openCarrier(provider.url, { settings: { window: 1 } })
    const first = carrier.submit(submission())
    const waiting = carrier.submit(submission())
    await eventually('the requests arrive', () => answers.length === 1)
    // Longer than a test may last.
    const closing = carrier.close(60_000)
    expect(await waiting).toMatchObject({ kind: 'later', reason: 'the gateway is closing' })
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'later' })
    expect(carrier.capacity()).toBe(0)
    answers[0]?.()
    expect(await first).toEqual(ACCEPTED)
    await closing
  })

  it('leaves what is not answered in time uncertain', async () => {
    const { provider, answers } = await slowProvider()
    const { carrier } = openCarrier(provider.url)
    const outcome = carrier.submit(submission())
    await eventually('the requests arrive', () => answers.length === 1)
    await carrier.close(10)
    expect(await outcome).toEqual({ kind: 'uncertain' })
  })

  it.each([
    ['accepted', { body: { id: 'ref-1' } }, ACCEPTED],
    ['refused', { status: 404, body: {} }, { kind: 'not_taken', reason: 'HTTP 404' }],
    ['to come later', { status: 429, body: {} }, { kind: 'later', reason: 'HTTP 429', afterMs: 1_000 }],
  ])('tells of an answer that comes afterwards: %s', async (_what, reply, outcome) => {
    const { provider, answers } = await slowProvider(reply)
    const { carrier, told } = openCarrier(provider.url)
    const reported = carrier.submit(submission())
    await eventually('the request arrives', () => answers.length === 1)
    await carrier.close(0)
    expect(await reported).toEqual({ kind: 'uncertain' })
    answers[0]?.()
    await eventually('the late answer is told', () => told.late.length === 1)
    expect(told.late).toEqual([{ ticket: TICKET, outcome }])
  })
})
