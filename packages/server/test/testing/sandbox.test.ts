import { verifyCallback } from '@wigwag/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/testing/index.ts'

const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }

let sandbox: Sandbox | undefined
afterEach(() => {
  vi.useRealTimers()
  return sandbox?.close()
})

/** From here on, a pause in real time never ends. */
function withoutTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

describe('the sandbox', () => {
  it('delivers a message when its clock moves, and captures a callback whose signature holds', async () => {
    sandbox = await createSandbox()
    const { client, clock, callbacks, credentials } = sandbox
    const sent = await client.sendSms({
      From: 'WIGWAG',
      To: '233241234567',
      Content: 'Hello',
      Reference: 'r-1',
      CallbackUrl: 'https://receiver.invalid/sms',
    })
    expect(sent.Status).toBe('pending')
    expect((await client.getTransactionStatus(sent.Ticket)).Status).toBe('pending')
    await clock.advance(2_000)
    const record = await client.getTransactionStatus(sent.Ticket)
    expect(record).toMatchObject({ Status: 'success', BalanceBefore: 100, Reference: 'r-1' })
    expect(callbacks).toHaveLength(1)
    const [callback] = callbacks
    const request = new Request(callback?.url ?? '', { method: 'POST', ...callback })
    const payload = await verifyCallback(request, credentials.callbackSecret, {
      now: () => clock.now().getTime(),
    })
    expect(payload).toEqual({
      ClientReference: 'r-1',
      Ticket: sent.Ticket,
      Destination: '233241234567',
      Cost: record.Cost,
      BalanceBefore: 100,
      BalanceAfter: record.BalanceAfter,
      Status: 'success',
    })
  })

  it('sends nothing that has a time and is not scheduled', async () => {
    sandbox = await createSandbox()
    const { client } = sandbox
    const message = { Content: 'Hello', SendAt: '2026-01-06T09:00:00Z' }
    // As a program without types may pass it.
    const { one, many }: { one: { To: string; Content: string }; many: { Content: string } } = Object({
      one: { ...message, To: '233241234567' },
      many: message,
    })
    const refused = { status: 422, errors: [{ pointer: '/SendAt', code: 'invalid_send_at' }] }
    const Recipients = [{ To: '233241234567' }]
    await expect(client.sendSms(one)).rejects.toMatchObject(refused)
    await expect(client.sendBulkSms({ ...many, Recipients })).rejects.toMatchObject(refused)
    await expect(client.sendToMany(many, Recipients)).rejects.toMatchObject(refused)
    expect((await client.searchMessages().page()).Items).toEqual([])
    expect((await client.scheduleSms({ ...one, SendAt: new Date(message.SendAt) })).Status).toBe('scheduled')
  })

  it('refuses a callback URL that could never be called, as a gateway does', async () => {
    sandbox = await createSandbox()
    const { client } = sandbox
    const message = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }
    await expect(client.sendSms({ ...message, CallbackUrl: 'http://10.0.0.1/' })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_callback_url',
    })
    expect((await client.getBalance()).balance).toBe(100)
  })

  it('tries a callback ten times over about three days, then gives it up', async () => {
    sandbox = await createSandbox({ onCallback: () => new Response('no', { status: 500 }) })
    const { client, clock, callbacks } = sandbox
    await client.sendSms({
      From: 'WIGWAG',
      To: '233241234567',
      Content: 'Hello',
      CallbackUrl: 'https://receiver.invalid/',
    })
    await clock.advance(5 * 86_400_000)
    expect(callbacks).toHaveLength(10)
    expect(new Set(callbacks.map(({ headers }) => headers['webhook-id']))).toHaveProperty('size', 1)
  })

  it('moves its clock by milliseconds or by a time, and refuses anything else', async () => {
    sandbox = await createSandbox({ startAt: new Date('2026-01-05T09:00:00Z') })
    const { clock } = sandbox
    await clock.advance(1_000)
    await clock.advance('2h')
    await clock.advance('3d')
    expect(clock.now()).toEqual(new Date('2026-01-08T11:00:01Z'))
    await expect(clock.advance('soon')).rejects.toThrow(
      'Expected milliseconds, or a time such as 90s, 30m, 2h or 3d; got "soon".',
    )
  })
})

describe('the client of the sandbox', () => {
  it('waits for the end of a message by the clock of the sandbox', async () => {
    sandbox = await createSandbox()
    const { client, clock } = sandbox
    withoutTimers()
    const { Ticket } = await client.sendSms(MESSAGE)
    expect((await client.waitForFinal(Ticket)).Status).toBe('success')
    const start = clock.now().getTime()
    const silent = await client.sendSms({ ...MESSAGE, To: '233241200005' })
    await expect(client.waitForFinal(silent.Ticket, { timeout: 3_600_000 })).rejects.toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('still pending after 3600000 ms'),
    })
    expect(clock.now().getTime() - start).toBe(3_600_000)
  })

  it('repeats a request by that clock too, until the fault is off', async () => {
    sandbox = await createSandbox()
    const { client, clock, faults } = sandbox
    withoutTimers()
    const start = clock.now().getTime()
    const moved = () => clock.now().getTime() - start
    faults.set({ gateway: '503' })
    const sent = client.sendSms(MESSAGE)
    while (moved() === 0) await new Promise(setImmediate)
    faults.off()
    expect((await sent).Status).toBe('pending')
    // The gateway asks for one second, and the client adds up to half a second.
    expect(moved()).toBeGreaterThanOrEqual(1_000)
    expect(moved()).toBeLessThanOrEqual(1_500)
    expect((await client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('pauses together with others, so that many sends that fail for good take as long as one', async () => {
    sandbox = await createSandbox()
    const { client, clock, faults } = sandbox
    withoutTimers()
    const start = clock.now().getTime()
    faults.set({ gateway: '503' })
    const sends = await Promise.allSettled(Array.from({ length: 20 }, () => client.sendSms(MESSAGE)))
    for (const send of sends)
      expect(send).toMatchObject({ status: 'rejected', reason: { status: 503, attempts: 3 } })
    const moved = clock.now().getTime() - start
    expect(moved).toBeGreaterThanOrEqual(2_000)
    expect(moved).toBeLessThanOrEqual(3_500)
  })

  it('pauses in a receiver of callbacks, for which the gateway waits', async () => {
    let answered: Promise<unknown> = Promise.resolve()
    sandbox = await createSandbox({
      async onCallback() {
        faults.set({ gateway: '503' })
        answered = client.sendSms({ ...MESSAGE, Content: 'Thank you' })
        await answered.catch(() => undefined)
        return new Response()
      },
    })
    const { client, clock, faults, callbacks } = sandbox
    await client.sendSms({ ...MESSAGE, CallbackUrl: 'https://receiver.invalid/' })
    await clock.advance('1m')
    await expect(answered).rejects.toMatchObject({ status: 503, attempts: 3 })
    expect(callbacks).toHaveLength(1)
  })
})

describe('a message of the sandbox', () => {
  it('is waited for by its number, from the first one on', async () => {
    sandbox = await createSandbox()
    const { client, waitForMessage, now } = sandbox
    await client.sendSms({ ...MESSAGE, Content: 'Your code is 1111' })
    const before = await now()
    await client.sendSms({ ...MESSAGE, Content: 'Your code is 2222' })
    const first = await waitForMessage({ to: '+233 24 123 4567' })
    expect(first).toMatchObject({ code: '1111', text: 'Your code is 1111', from: 'WIGWAG' })
    expect((await waitForMessage({ to: '233241234567' })).code).toBe('2222')
    await client.sendSms({ ...MESSAGE, Content: 'Your code is 3333' })
    expect((await waitForMessage({ to: '233241234567', after: before, match: /\d+/ })).code).toBe('3333')
  })

  it('is waited for while a program sends it', async () => {
    sandbox = await createSandbox()
    const { client, waitForMessage } = sandbox
    const wait = waitForMessage({ to: '233241234567', timeout: 60_000 })
    await client.sendSms({ ...MESSAGE, Content: 'Your code is 1111' })
    expect((await wait).code).toBe('1111')
  })

  it('that does not come is missed by name, and the clock stands still', async () => {
    sandbox = await createSandbox()
    const { client, clock, waitForMessage } = sandbox
    await client.sendSms({ ...MESSAGE, To: '233201234567' })
    const start = clock.now()
    await expect(waitForMessage({ to: '233241234567', timeout: 60 })).rejects.toMatchObject({
      name: 'MessageTimeoutError',
      message: 'no message to 233241234567 came within 60 ms; came instead: to 233201234567 "Hello"',
    })
    expect(clock.now()).toEqual(start)
  })
})

describe('a sandbox that is used up', () => {
  it('is closed at the end of its block', async () => {
    let outside: Sandbox
    {
      await using inside = await createSandbox()
      outside = inside
      expect((await inside.client.getBalance()).balance).toBe(100)
    }
    await expect(outside.client.getBalance()).rejects.toMatchObject({ status: 410 })
    await outside.close()
  })

  it('is closed while a client pauses, which then learns of it', async () => {
    const { client, faults, close } = await createSandbox()
    faults.set({ gateway: '503' })
    const sent = client.sendSms(MESSAGE).catch((error: unknown) => error)
    await close()
    expect(await sent).toMatchObject({ name: 'GatewayError', status: 410 })
  })
})

describe('a mistake in the use of the sandbox', () => {
  it('is named after close', async () => {
    const { client, close } = await createSandbox()
    await close()
    await expect(client.getBalance()).rejects.toMatchObject({
      message:
        'getBalance: 410 This sandbox was closed: make requests before close(), or create another one.',
      attempts: 1,
    })
  })

  it.each([
    [
      { balanse: 5 },
      'createSandbox: expected only balance, startAt, onCallback; got balanse; did you mean balance?',
    ],
    [{ money: 5 }, 'createSandbox: expected only balance, startAt, onCallback; got money.'],
    [{ balance: -1 }, 'balance: expected an amount such as 50 or 0.045, with at most 6 decimals, got "-1".'],
  ])('is named in the options %j', async (options, said) => {
    await expect(createSandbox(Object(options))).rejects.toThrow(said)
  })

  it('is named in the faults', async () => {
    sandbox = await createSandbox()
    const { faults } = sandbox
    expect(() => faults.set(Object({ slo: '2 s' }))).toThrow(
      'faults.set: expected only slow, lost, receivers, gateway; got slo; did you mean slow?',
    )
  })
})

describe('the faults of the sandbox', () => {
  it('make the carrier slow, and time goes on meanwhile', async () => {
    sandbox = await createSandbox()
    const { client, clock, faults } = sandbox
    faults.set({ slow: '20 s' })
    const sent = await Promise.all(Array.from({ length: 200 }, () => client.sendSms(MESSAGE)))
    const statuses = async () =>
      new Set(
        await Promise.all(sent.map(async ({ Ticket }) => (await client.getTransactionStatus(Ticket)).Status)),
      )
    await clock.advance('19s')
    expect(await statuses()).toEqual(new Set(['pending']))
    await clock.advance('1m')
    expect(await statuses()).toEqual(new Set(['success']))
  })

  it('lose receipts, which the gateway asks for later', async () => {
    sandbox = await createSandbox()
    const { client, clock, faults } = sandbox
    faults.set({ lost: '100 %' })
    const { Ticket } = await client.sendSms(MESSAGE)
    await clock.advance('2s')
    expect((await client.getTransactionStatus(Ticket)).Status).toBe('pending')
    await clock.advance('1h')
    expect((await client.getTransactionStatus(Ticket)).Status).toBe('success')
  })

  it.each(['500', '429', 'time out'] as const)(
    'have receivers answer %s until they are off',
    async (receivers) => {
      sandbox = await createSandbox()
      const { client, clock, faults, callbacks } = sandbox
      faults.set({ receivers })
      await client.sendSms({ ...MESSAGE, CallbackUrl: 'https://receiver.invalid/' })
      await clock.advance('1m')
      expect(callbacks).toEqual([])
      faults.off()
      await clock.advance('3h')
      expect(callbacks).toHaveLength(1)
    },
  )

  it('have the gateway answer 503', async () => {
    sandbox = await createSandbox()
    const { client, faults } = sandbox
    faults.set({ gateway: '503' })
    await expect(client.getBalance({ retries: 0 })).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
    })
    faults.set({})
    expect((await client.getBalance()).balance).toBe(100)
  })

  it('keep it from nothing that closes it', async () => {
    const { client, faults, clock, close } = await createSandbox()
    faults.set({ slow: '30 s' })
    await client.sendSms(MESSAGE)
    await clock.advance('1s')
    await close()
  })

  it('are refused by name when they can be none, and stay as they were', async () => {
    sandbox = await createSandbox()
    const { client, faults } = sandbox
    faults.set({ gateway: '429' })
    expect(() => faults.set({ slow: '31 s', lost: 'some' })).toThrow(
      'slow: Expected a time of at most 30 s such as 2 s or 500 ms, got “31 s”. lost: Expected a part such as 20 %, got “some”.',
    )
    await expect(client.getBalance({ retries: 0 })).rejects.toMatchObject({ status: 429 })
  })
})
