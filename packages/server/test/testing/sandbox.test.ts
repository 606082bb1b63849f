import { verifyCallback } from '@wigwag/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/testing/index.ts'

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.close())

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
})
