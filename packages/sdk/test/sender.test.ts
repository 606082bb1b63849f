import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Client, createClient, type FetchInit } from '../src/index.ts'
import { createFakeClient } from '../src/testing/index.ts'
import { list, start, stored } from './bulk-gateway.ts'
import { credentials, failure, sent } from './fault-server.ts'

const message = { To: '233201234567', Content: 'Hello' }
const Recipients = [{ To: '233201234567' }]
const SendAt = '2026-12-01T08:00:00Z'

/** Every way to send, without a sender. */
const sends: [string, (sms: Client) => Promise<unknown>][] = [
  ['sendSms', (sms) => sms.sendSms(message)],
  ['sendBulkSms', (sms) => sms.sendBulkSms({ Content: 'Hello', Recipients })],
  ['scheduleSms', (sms) => sms.scheduleSms({ ...message, SendAt })],
  ['sendToMany', (sms) => sms.sendToMany({ Content: 'Hello' }, Recipients)],
]

/** A client, and the bodies that it sent. */
function recorded(options: { from?: string } = {}) {
  const bodies: { From?: string }[] = []
  const fetch = (_: string, { body = '{}' }: FetchInit) => {
    bodies.push(JSON.parse(body))
    return Response.json(body.includes('Recipients') ? [sent] : sent)
  }
  return { bodies, sms: createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch, ...options }) }
}

afterEach(() => void vi.unstubAllEnvs())

describe.each(sends)('%s of a message without From', (_, send) => {
  it('is sent from the sender of the client, or else of the environment', async () => {
    vi.stubEnv('WIGWAG_FROM', 'SHOP')
    const around = recorded()
    await send(around.sms)
    const given = recorded({ from: 'ACME' })
    await send(given.sms)
    expect([...around.bodies, ...given.bodies].map(({ From }) => From)).toEqual(['SHOP', 'ACME'])
  })

  it.each([undefined, ''])('makes no request where the sender is %j', async (from) => {
    vi.stubEnv('WIGWAG_FROM', from)
    const { sms, bodies } = recorded()
    const said = 'Expected From in the message, in the option from or in WIGWAG_FROM; got none.'
    expect(await failure(send(sms))).toEqual(new TypeError(said))
    expect(bodies).toEqual([])
  })
})

it('an empty sender of the client is not replaced by that of the environment', async () => {
  vi.stubEnv('WIGWAG_FROM', 'SHOP')
  const { sms, bodies } = recorded({ from: '' })
  expect(await failure(sms.sendSms(message))).toMatchObject({
    message: 'Expected From in the message, in the option from or in WIGWAG_FROM; got none.',
  })
  expect(bodies).toEqual([])
})

it('the sender of a message goes before that of the client', async () => {
  vi.stubEnv('WIGWAG_FROM', 'SHOP')
  const { sms, bodies } = recorded({ from: 'ACME' })
  await sms.sendSms({ ...message, From: 'OTHER' })
  expect(bodies).toEqual([{ ...message, From: 'OTHER' }])
})

it('a run with another sender is not resumed: what is left would come from someone else', async () => {
  const { sms, gateway } = start({ from: 'ACME' })
  gateway.faults = [undefined, 'lost before', 'lost before', 'lost before']
  const options = { partSize: 5, concurrency: 1 }
  const { checkpoint } = await sms.sendToMany({ Content: 'Hello' }, list(10), options)
  const other = start({ from: 'SHOP', fetch: gateway.fetch })
  const again = { ...options, resume: stored(checkpoint) }
  await expect(other.sms.sendToMany({ Content: 'Hello' }, list(10), again)).rejects.toThrow(/^resume: /)
  await sms.sendToMany({ Content: 'Hello' }, list(10), again)
  expect(gateway.out).toHaveLength(10)
})

it('a fake client has a sender too', async () => {
  const sms = createFakeClient({ from: 'ACME' })
  await sms.sendSms(message)
  expect(sms.messages).toMatchObject([{ From: 'ACME' }])
})
