import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exportRows } from '../../src/operate/privacy/export.ts'
import { eventually } from '../support/eventually.ts'
import { openFront } from '../support/front.ts'
import { startProvider } from './carriers/http-carriers.ts'

const EXAMPLES = new URL('../../../../examples/carriers/', import.meta.url)
const SECRET = 'secret-of-the-receipts'
const PASSWORD = 'swordfish/2+3'
/** Texts that no customer may read: the provider's words, and the credentials that it was sent. */
const NOT_FOR_CUSTOMERS = ['Zyzzyva', SECRET, PASSWORD, encodeURIComponent(PASSWORD), btoa(`AC1:${PASSWORD}`)]

/** A gateway whose carrier repeats everything that it is sent, and its customer. */
async function openRepeating(answer: 'refuses' | 'takes') {
  const provider = await startProvider()
  provider.reply = ({ headers, body }) => {
    const message = `Zyzzyva: ${headers.authorization} ${decodeURIComponent(body)}`
    return answer === 'refuses'
      ? { status: 400, body: { code: 21211, message } }
      : { status: 201, body: { sid: 'SM1' } }
  }
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-words-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await copyFile(new URL('twilio.json', EXAMPLES), join(folder, 'twilio.json'))
  const south = {
    url: provider.url.replace('http://', 'http://AC1@'),
    template: 'twilio.json',
    passwordEnv: 'TOKEN',
    receiptsSecretEnv: 'RECEIPTS',
  }
  const file = { carriers: { south }, routes: [{ prefix: '', carriers: [{ name: 'south' }] }] }
  await writeFile(join(folder, 'carriers.json'), JSON.stringify(file))
  const front = await openFront(':memory:', {
    carrier: {
      given: 'file:./carriers.json',
      folder,
      variables: () => ({ TOKEN: PASSWORD, RECEIPTS: SECRET }),
    },
  })
  onTestFinished(front.close)
  const account = await front.account('a', 1_000_000)
  const headers = {
    authorization: `Basic ${btoa(`${account.clientId}:${account.clientSecret}`)}`,
    'x-wallet': `Token ${account.walletToken}`,
    'content-type': 'application/json',
  }
  const ask = (path: string, init: RequestInit = {}) => fetch(`${front.url}${path}`, { headers, ...init })
  const body = JSON.stringify({ From: 'WIGWAG', To: '233241234567', Content: 'Hello' })
  const sent = await ask('/v1/messages/sms', { method: 'POST', body })
  const { Ticket: ticket } = (await sent.json()) as { Ticket: string }
  await eventually('the provider has it', () => provider.seen.length > 0)
  const ended = () =>
    eventually('the message is final', async () => {
      const { Status } = (await (await ask(`/v1/transactions/${ticket}/status`)).json()) as { Status: string }
      return Status !== 'pending'
    })
  const message = async () => (await ask(`/v1/messages/${ticket}`)).json()
  const exported = async () => {
    const rows: unknown[] = []
    for await (const row of exportRows(front.gateway.database, account.accountId, 'messages', false))
      rows.push(row)
    return rows
  }
  /** The carrier's reason, as an operator reads it. */
  const said = async () => (await front.gateway.messages.show(ticket, { text: false }))?.message.failureReason
  return { front, ticket, ended, message, exported, said }
}

describe('a provider that repeats what it was sent', () => {
  it('tells its customer nothing but words of ours, when it refuses', async () => {
    const { ended, message, exported, said } = await openRepeating('refuses')
    await ended()
    const found = await message()
    expect(found).toMatchObject({ Status: 'rejected', FailureReason: 'The carrier refused it.' })
    const shown = JSON.stringify([found, await exported()])
    for (const text of NOT_FOR_CUSTOMERS) expect(shown).not.toContain(text)
    const told = await said()
    expect(told).toMatch(/^HTTP 400: Zyzzyva: Basic …/)
    for (const text of NOT_FOR_CUSTOMERS.slice(1)) expect(told).not.toContain(text)
  })

  it('tells its customer nothing but words of ours in a receipt', async () => {
    const { front, ended, message, exported, said } = await openRepeating('takes')
    const taken = () =>
      front.gateway.database.read(({ run }) => run('SELECT 1 AS one FROM outbox WHERE submitted_at > 0', []))
    await eventually('its answer is stored', async () => (await taken()).length === 1)
    const words = `Zyzzyva ${front.url}/carriers/south/${SECRET} ${btoa(`AC1:${PASSWORD}`)}`
    const form = new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: words })
    await fetch(`${front.url}/carriers/south/${SECRET}`, { method: 'POST', body: form })
    await ended()
    const found = await message()
    expect(found).toMatchObject({
      Status: 'undelivered',
      FailureReason: 'The carrier could not deliver it.',
      Timeline: expect.arrayContaining([
        expect.objectContaining({ Event: 'undelivered', Detail: 'The carrier could not deliver it.' }),
      ]),
    })
    const shown = JSON.stringify([found, await exported()])
    for (const text of NOT_FOR_CUSTOMERS) expect(shown).not.toContain(text)
    expect(await said()).toMatch(/^Zyzzyva … …/)
  })
})
