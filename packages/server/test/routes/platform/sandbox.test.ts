import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/testing/index.ts'

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.close())

function tell(
  { fetch, credentials }: Sandbox,
  body: object,
  secret = credentials.clientSecret,
): Promise<Response> {
  const basic = btoa(`${credentials.clientId}:${secret}`)
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/json' }
  return fetch(
    new Request('http://sandbox.invalid/sandbox/receipts', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }),
  )
}

describe('the receipts that a test gives', () => {
  it('end a message that waits to be told, at once and once', async () => {
    sandbox = await createSandbox()
    const sent = await sandbox.client.sendSms({ From: 'WIGWAG', To: '233241200005', Content: 'Hello' })
    await sandbox.clock.advance(60_000)
    expect((await sandbox.client.getTransactionStatus(sent.Ticket)).Status).toBe('pending')
    const told = await tell(sandbox, { Ticket: sent.Ticket, Status: 'undelivered' })
    expect(await told.json()).toMatchObject({ MessageId: sent.Ticket, Status: 'undelivered', Cost: 0 })
    const again = await tell(sandbox, { Ticket: sent.Ticket, Status: 'success' })
    expect(await again.json()).toMatchObject({ Status: 'undelivered', Cost: 0 })
    expect((await sandbox.client.getBalance()).balance).toBe(100)
  })

  it('are refused for a ticket that the caller does not own, and without its credentials', async () => {
    sandbox = await createSandbox()
    const ticket = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'
    expect((await tell(sandbox, { Ticket: ticket, Status: 'success' })).status).toBe(404)
    expect((await tell(sandbox, { Ticket: ticket, Status: 'success' }, 'wrong')).status).toBe(401)
    expect((await tell(sandbox, { Ticket: ticket, Status: 'lost' })).status).toBe(422)
  })
})
