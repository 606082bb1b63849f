import { describe, expect, it } from 'vitest'
import { createClient, NotFoundError, TimeoutError } from '../src/index.ts'
import { credentials, failure, testClock } from './fault-server.ts'

const transaction = (Status: string) => Response.json({ Type: 'SMS', MessageId: 't', Status })

/** A client whose gateway gives these answers, the last one for ever. */
function clientOf(...answers: (() => Response)[]) {
  const clock = testClock()
  const asked: string[] = []
  const fetch = (url: string) => {
    asked.push(new URL(url).pathname)
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (!answer) throw new Error('no answer')
    return answer()
  }
  return {
    clock,
    asked,
    sms: createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch, clock }),
  }
}

const pending = () => transaction('pending')
const away = () => new Response('', { status: 503 })

describe('waitForFinal', () => {
  it('asks with growing pauses until the message is final', async () => {
    const { sms, clock, asked } = clientOf(
      () => transaction('scheduled'),
      pending,
      pending,
      () => transaction('success'),
    )
    expect(await sms.waitForFinal('t')).toMatchObject({ Status: 'success' })
    expect(asked).toEqual(Array(4).fill('/v1/transactions/t/status'))
    expect(clock.slept).toEqual([250, 375, 562.5])
  })

  it('never pauses for longer than ten seconds', async () => {
    const { sms, clock } = clientOf(pending)
    await failure(sms.waitForFinal('t', { timeout: 300_000 }))
    expect(Math.max(...clock.slept)).toBe(10_000)
  })

  it.each(['undelivered', 'expired', 'rejected', 'failed', 'cancelled', 'something_new'])(
    'takes %s as final',
    async (status) => {
      const { sms } = clientOf(() => transaction(status))
      expect(await sms.waitForFinal('t')).toMatchObject({ Status: status })
    },
  )

  it('looks a last time when the time is up, then says what the status is', async () => {
    const { sms, clock } = clientOf(pending)
    const start = clock.now()
    const error = await failure(sms.waitForFinal('t', { timeout: 1000 }))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({
      message: 'waitForFinal: still pending after 1000 ms',
      operation: 'getTransactionStatus',
      method: 'waitForFinal',
    })
    expect(clock.now() - start).toBe(1000)
  })

  it('asks on while the gateway is away for a moment', async () => {
    const { sms } = clientOf(away, away, away, away, () => transaction('success'))
    expect(await sms.waitForFinal('t')).toMatchObject({ Status: 'success' })
  })

  it('says what failed when the gateway stays away', async () => {
    const { sms } = clientOf(away)
    expect(await failure(sms.waitForFinal('t', { timeout: 1000 }))).toMatchObject({
      status: 503,
      message: expect.stringMatching(/^waitForFinal: 503/),
    })
    const own = await failure(sms.getTransactionStatus('t', { retries: 0 }))
    expect(own).toMatchObject({ message: expect.stringMatching(/^getTransactionStatus: 503/) })
    expect(own).not.toHaveProperty('method')
  })

  it('waits as long as the gateway asks', async () => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': '20' } })
    const { sms, clock } = clientOf(busy, () => transaction('success'))
    await sms.waitForFinal('t')
    expect(clock.slept).toEqual([20_000])
  })

  it('stops at once when the gateway asks for more time than there is', async () => {
    const { sms, clock } = clientOf(() => new Response('', { status: 429, headers: { 'retry-after': '20' } }))
    expect(await failure(sms.waitForFinal('t', { timeout: 5000 }))).toMatchObject({ status: 429 })
    expect(clock.slept).toEqual([])
  })

  it('does not ask again for a message that is not there', async () => {
    const { sms, asked } = clientOf(() => new Response('', { status: 404 }))
    const error = await failure(sms.waitForFinal('t'))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ message: expect.stringMatching(/^waitForFinal: 404/) })
    expect(asked).toHaveLength(1)
  })

  it('ends with the signal, before a request or in a pause', async () => {
    const reason = new Error('enough')
    const { sms, asked } = clientOf(pending)
    expect(await failure(sms.waitForFinal('t', { signal: AbortSignal.abort(reason) }))).toMatchObject({
      name: 'AbortedError',
      cause: reason,
      message: 'waitForFinal: aborted by your signal',
    })
    expect(asked).toEqual([])
    const fetch = () => new Response('', { status: 429, headers: { 'retry-after': '30' } })
    const real = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(reason), 30)
    expect(await failure(real.waitForFinal('t', { signal: giveUp.signal }))).toMatchObject({
      cause: reason,
      message: 'waitForFinal: aborted by your signal',
    })
  })
})
