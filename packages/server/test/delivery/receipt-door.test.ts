import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openFront } from '../support/front.ts'
import { startProvider } from './carriers/http-carriers.ts'

const EXAMPLES = new URL('../../../../examples/carriers/', import.meta.url)
const SECRET = 'a-secret-of-the-address'

const TWILIO = { template: 'twilio.json', reply: { status: 201, body: { sid: 'SM1', status: 'queued' } } }
const VONAGE = {
  template: 'vonage.json',
  reply: { body: { messages: [{ status: '0', 'message-id': 'V1' }] } },
}

/** A gateway whose carrier for 23324 is a provider with an HTTP API; the rest goes to a simulator. */
async function openProvided({ template, reply } = TWILIO as typeof TWILIO | typeof VONAGE) {
  const provider = await startProvider(reply)
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-door-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await copyFile(new URL(template, EXAMPLES), join(folder, template))
  const url = provider.url.replace('http://', 'http://AC1@')
  const south = { url, template, passwordEnv: 'TOKEN', receiptsSecretEnv: 'RECEIPTS' }
  const file = {
    carriers: { south, other: { url: 'simulator:' } },
    routes: [
      { prefix: '23324', carriers: [{ name: 'south', priority: 1, cost: '0.01' }] },
      { prefix: '', carriers: [{ name: 'other' }] },
    ],
  }
  await writeFile(join(folder, 'carriers.json'), JSON.stringify(file))
  const front = await openFront(':memory:', {
    carrier: {
      given: 'file:./carriers.json',
      folder,
      variables: () => ({ TOKEN: 'token', RECEIPTS: SECRET }),
    },
  })
  onTestFinished(front.close)
  const { clientId, clientSecret, walletToken } = await front.account('a', 1_000_000)
  const headers = {
    authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    'x-wallet': `Token ${walletToken}`,
    'content-type': 'application/json',
  }
  const send = async (To: string) => {
    const body = JSON.stringify({ From: 'WIGWAG', To, Content: 'Hello' })
    const sent = await fetch(`${front.url}/v1/messages/sms`, { method: 'POST', headers, body })
    expect(sent.status).toBe(200)
    return ((await sent.json()) as { Ticket: string }).Ticket
  }
  const ticket = await send('233241234567')
  await eventually('the provider has it', () => provider.seen.length === 1)
  const taken = () =>
    front.gateway.database.read(({ run }) => run('SELECT 1 AS one FROM outbox WHERE submitted_at > 0', []))
  await eventually('its answer is stored', async () => (await taken()).length === 1)
  const statuses = () =>
    front.gateway.database.read(({ run }) =>
      run<{ status: string }>('SELECT status FROM messages ORDER BY id', []),
    )
  const receipt = (path: string, form: Record<string, string>) =>
    fetch(`${front.url}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  return { front, provider, receipt, statuses, send, ticket }
}

describe('the door for the receipts of an HTTP carrier', () => {
  it('takes a receipt, which ends its message', async () => {
    const { front, provider, receipt, statuses } = await openProvided()
    const [request] = provider.seen
    const form = new URLSearchParams(request?.body)
    expect(form.get('StatusCallback')).toBe(`${front.url}/carriers/south/${SECRET}`)
    const path = new URL(form.get('StatusCallback') ?? '').pathname
    const progress = await receipt(path, { MessageSid: 'SM1', MessageStatus: 'sent' })
    expect(progress.status).toBe(204)
    expect(await statuses()).toEqual([{ status: 'pending' }])
    const final = await receipt(path, { MessageSid: 'SM1', MessageStatus: 'delivered' })
    expect(final.status).toBe(204)
    expect(await statuses()).toEqual([{ status: 'success' }])
  })

  it.each([
    ['a wrong secret', '/carriers/south/another-secret'],
    ['an unknown carrier', `/carriers/north/${SECRET}`],
    ['no secret', '/carriers/south'],
  ])('answers %s as any path without an operation', async (_, path) => {
    const { receipt, statuses } = await openProvided()
    const answer = await receipt(path, { MessageSid: 'SM1', MessageStatus: 'delivered' })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'route_not_found' })
    expect(await statuses()).toEqual([{ status: 'pending' }])
  })

  it('refuses what it cannot read, and more than any provider sends', async () => {
    const { receipt } = await openProvided()
    const path = `/carriers/south/${SECRET}`
    expect((await receipt(path, { hello: 'there' })).status).toBe(400)
    expect((await receipt(path, { hello: 'x'.repeat(300_000) })).status).toBe(413)
  })

  it('believes a provider that names our tickets only about messages that it was given', async () => {
    const { receipt, statuses, send, ticket } = await openProvided(VONAGE)
    const another = await send('233201200005')
    const told = (of: string) =>
      receipt(`/carriers/south/${SECRET}`, { messageId: 'V1', 'client-ref': of, status: 'delivered' })
    expect((await told(another)).status).toBe(204)
    expect((await told(ticket)).status).toBe(204)
    expect(await statuses()).toEqual([{ status: 'success' }, { status: 'pending' }])
  })

  it('notes what the operator pays for the message', async () => {
    const { front } = await openProvided()
    const rows = await front.gateway.database.read(({ run }) =>
      run('SELECT carrier, country, network, parts, cost FROM carrier_totals', []),
    )
    expect(rows).toEqual([{ carrier: 'south', country: 'GH', network: 'MTN', parts: 1, cost: 10_000 }])
  })
})
