import { AbortedError, ConnectionError } from '@wigwag/sdk'
import {
  createFakeClient,
  type FakeClient,
  inboxFixture,
  MessageTimeoutError,
  openInbox,
} from '@wigwag/sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSandbox } from '../../server/src/testing/sandbox.ts'
import type { Client } from '../src/index.ts'
import { standIn } from './docs/stand-in.ts'
import { failure } from './fault-server.ts'

const ama = '233241234567'
const kofi = '233201234567'
const code = (Content: string, To = ama) => ({ From: 'WIGWAG', To, Content: `Your code is ${Content}` })

/** A client of a whole gateway in memory, whose clock stands still. */
async function gateway(options = {}): Promise<Client> {
  const sandbox = await openSandbox({ balance: 1_000, ...options })
  onTestFinished(() => sandbox.close())
  return sandbox.client
}

describe.each<[string, () => Promise<Client>]>([
  ['a gateway', gateway],
  ['a gateway whose clock is two hours ahead', () => gateway({ startAt: new Date(Date.now() + 7_200_000) })],
  ['the fake client', async () => createFakeClient()],
])('an inbox at %s', (_, open) => {
  it('reads the code that was sent to a number, and no older one', async () => {
    const client = await open()
    await client.sendSms(code('4711'))
    const inbox = await openInbox(client)
    const sent = await client.sendSms(code('82913'))
    expect(await inbox.waitForMessage({ to: '+233 24 123-4567' })).toMatchObject({
      ticket: sent.Ticket,
      from: 'WIGWAG',
      to: ama,
      text: 'Your code is 82913',
      code: '82913',
      match: undefined,
      message: { MessageId: sent.Ticket, Status: 'pending' },
    })
  })

  it('gives each message once, in the order in which they were accepted', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    for (let number = 1000; number < 1120; number++) await client.sendSms(code(`${number}`))
    const codes = []
    for (let number = 1000; number < 1120; number++)
      codes.push((await inbox.waitForMessage({ to: ama })).code)
    expect(codes).toEqual(Array.from({ length: 120 }, (_, at) => `${1000 + at}`))
    await expect(inbox.waitForMessage({ to: ama, timeout: 0 })).rejects.toThrow(
      'to 233241234567 "Your code is 1119" (given before)',
    )
  })

  it('begins after a cursor where there is one, and gives nothing twice', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    const start = await inbox.now()
    await client.sendSms(code('1111'))
    const before = await inbox.now()
    await client.sendSms(code('2222'))
    expect((await inbox.waitForMessage({ to: ama, after: before })).code).toBe('2222')
    await client.sendSms(code('3333'))
    expect((await inbox.waitForMessage({ to: ama, after: before })).code).toBe('3333')
    expect((await inbox.waitForMessage({ to: ama })).code).toBe('1111')
    const another = await openInbox(client, start)
    expect((await another.waitForMessage({ to: ama })).code).toBe('1111')
  })

  it('takes the ticket of a message for a cursor', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    const { Ticket } = await client.sendSms(code('1111'))
    await client.sendSms(code('2222'))
    expect((await inbox.waitForMessage({ to: ama, after: Ticket.toUpperCase() })).code).toBe('2222')
  })

  it('is read by two waits for two numbers at once, and by two for one number', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    const waits = [ama, kofi, ama].map((to) => inbox.waitForMessage({ to, timeout: 60_000 }))
    await client.sendSms(code('1111', kofi))
    await client.sendSms(code('2222'))
    await client.sendSms(code('3333'))
    const codes = (await Promise.all(waits)).map((message) => message.code)
    expect(codes[1]).toBe('1111')
    expect([codes[0], codes[2]].toSorted()).toEqual(['2222', '3333'])
  })

  it('is independent of another inbox', async () => {
    const client = await open()
    const [one, other] = [await openInbox(client), await openInbox(client)]
    await client.sendSms(code('1111'))
    expect((await one.waitForMessage({ to: ama })).code).toBe('1111')
    expect((await other.waitForMessage({ to: ama })).code).toBe('1111')
  })

  it('leaves what does not match for a later wait', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    await client.sendSms({ From: 'WIGWAG', To: ama, Content: 'Welcome, Ama' })
    await client.sendSms(code('1111'))
    expect((await inbox.waitForMessage({ to: ama, match: 'code' })).code).toBe('1111')
    expect((await inbox.waitForMessage({ to: ama, match: /welcome, (?<name>\w+)/i })).match?.groups).toEqual({
      name: 'Ama',
    })
  })

  it('gives a scheduled message when it goes out', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    const { asOf } = await client.getBalance()
    const SendAt = new Date(Date.parse(asOf) + 86_400_000)
    await client.scheduleSms({ ...code('1111'), SendAt })
    await client.sendSms(code('2222'))
    expect((await inbox.waitForMessage({ to: ama })).code).toBe('2222')
    await expect(inbox.waitForMessage({ to: ama, timeout: 0 })).rejects.toThrow(
      'to 233241234567 "Your code is 1111" (scheduled); to 233241234567 "Your code is 2222" (given before)',
    )
  })

  it('says what was waited for and what came instead', async () => {
    const client = await open()
    const inbox = await openInbox(client)
    for (let number = 1001; number <= 1006; number++) await client.sendSms(code(`${number}`, kofi))
    const wait = inbox.waitForMessage({ to: ama, match: /code/, timeout: 20 })
    const error = await failure(wait)
    expect(error).toBeInstanceOf(MessageTimeoutError)
    expect(error).toMatchObject({
      name: 'MessageTimeoutError',
      message:
        'no message to 233241234567 that has /code/ in it came within 20 ms; came instead: others, and then ' +
        [1002, 1003, 1004, 1005, 1006].map((number) => `to ${kofi} "Your code is ${number}"`).join('; '),
    })
  })

  it('says that a message came before, when it was opened too late', async () => {
    const client = await open()
    await client.sendSms(code('1111'))
    const inbox = await openInbox(client)
    await expect(inbox.waitForMessage({ to: ama, match: 'code', timeout: 0 })).rejects.toThrow(
      "no message to 233241234567 that has 'code' in it came within 0 ms; no other came either; the last one to this " +
        'number is from before: if you mean that one, open the inbox, or take the cursor, before your program sends',
    )
  })
})

describe('the code of a message', () => {
  it.each<[string, string | RegExp, string | undefined]>([
    ['Order 1042, voucher AB12CD', /voucher (\w+)/, 'AB12CD'],
    ['Order 1042: 829130', /(?:order (\d+): )?(\d{6})/, '829130'],
    ['Order 1042: 829130', /\d{6}/, '829130'],
    ['Order 1042: 829130', /\d{6}/g, '829130'],
    ['829130 is your code', /code/, '829130'],
    ['Order 1042: 829130', 'Order', undefined],
    ['Welcome', 'Welcome', undefined],
  ])('in %j with %o', async (Content, match, expected) => {
    const client = createFakeClient()
    const inbox = await openInbox(client)
    await client.sendSms({ From: 'ACME', To: ama, Content })
    expect((await inbox.waitForMessage({ to: ama, match })).code).toBe(expected)
  })
})

describe('a wait', () => {
  it('ends when a message comes, though the test has false timers', async () => {
    const { setImmediate: turn } = globalThis
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const client = createFakeClient()
    const inbox = await openInbox(client)
    const wait = inbox.waitForMessage({ to: ama, timeout: 60_000 })
    // It has looked and found nothing.
    while (client.calls.length < 2) await new Promise((go) => turn(go))
    await client.sendSms(code('1111'))
    expect((await wait).code).toBe('1111')
  })

  it('ends with the signal, before a look or in a pause', async () => {
    const inbox = await openInbox(createFakeClient())
    const reason = new Error('enough')
    const aborted = inbox.waitForMessage({ to: ama, signal: AbortSignal.abort(reason) })
    expect(await failure(aborted)).toMatchObject({ name: 'AbortedError', cause: reason })
    const stop = new AbortController()
    const wait = inbox.waitForMessage({ to: ama, timeout: 600_000, signal: stop.signal })
    setTimeout(() => stop.abort(reason), 5)
    const error = await failure(wait)
    expect(error).toBeInstanceOf(AbortedError)
    expect(error).toMatchObject({ cause: reason, operation: 'searchMessages', uncertain: false })
  })

  it('fails as the search does', async () => {
    const client: FakeClient = createFakeClient()
    const inbox = await openInbox(client)
    client.fail('searchMessages', 'no connection')
    expect(await failure(inbox.waitForMessage({ to: ama }))).toBeInstanceOf(ConnectionError)
  })

  it.each<[object, string]>([
    [{}, "Expected the recipient's number in to; got undefined."],
    [{ to: '' }, "Expected the recipient's number in to; got ''."],
    [{ to: ama, match: 5 }, 'Expected match to be a text or a pattern; got 5.'],
    [
      { to: ama, after: '2026-11-30T12:00:00Z' },
      "Expected after to be a cursor that now() gave, and no time; got '2026-11-30T12:00:00Z'.",
    ],
    [
      { to: ama, after: new Date(0) },
      'Expected after to be a cursor that now() gave, and no time; got Date.',
    ],
    [{ to: ama, timeout: -1 }, 'Expected timeout to be a number of at least 0; got -1.'],
  ])('refuses %o', async (wanted, said) => {
    const inbox = await openInbox(createFakeClient())
    expect(await failure(inbox.waitForMessage(Object(wanted)))).toEqual(new TypeError(said))
  })
})

it('a message is found that has an earlier ticket than one that was given before', async () => {
  const client = createFakeClient()
  const inbox = await openInbox(client)
  await client.sendSms(code('1111'))
  await client.sendSms(code('2222'))
  const [late] = client.messages.splice(0, 1)
  expect((await inbox.waitForMessage({ to: ama })).code).toBe('2222')
  // As of another process, whose transaction took longer.
  if (late) client.messages.unshift(late)
  expect((await inbox.waitForMessage({ to: ama })).code).toBe('1111')
})

describe('the fixture for Playwright', () => {
  it('opens an inbox with the client of the environment', async () => {
    const gateway = await standIn()
    onTestFinished(() => gateway[Symbol.asyncDispose]())
    let cursor = ''
    await inboxFixture.inbox({}, async (inbox) => {
      cursor = await inbox.now()
    })
    expect(cursor).toMatch(/^[0-9a-f]{8}-/)
  })

  it('asks for no other fixture, in the pattern that Playwright reads', () => {
    expect(`${inboxFixture.inbox}`).toMatch(/^async\s*\(\{\s*\},\s*use\)/)
  })
})
