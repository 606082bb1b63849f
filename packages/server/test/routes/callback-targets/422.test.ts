import { describe, expect, it } from 'vitest'
import { connect } from '../../support/assistants.ts'
import { BULK, MESSAGE, openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const SEND = ['send', '/v1/messages/sms', MESSAGE] as const
const BULK_SEND = ['bulk send', '/v1/messages/sms/bulk/otm', BULK] as const
const SCHEDULE = [
  'schedule',
  '/v1/messages/sms/scheduled',
  { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' },
] as const

const NEVER_CALLED = [
  ['http://169.254.169.254/latest/meta-data/', 'the host is a link-local address'],
  ['https://10.0.0.1/sms', 'the host is a private address'],
  ['http://[::ffff:10.0.0.1]/', 'the host is a private address'],
  ['http://2852039166/', 'the host is a link-local address'],
  ['http://0x0a.1/', 'the host is a private address'],
  ['http://10.0.0.1./', 'the host is a private address'],
  ['http://[fd00:ec2::254]/', 'the host is a unique local address'],
  ['http://0.0.0.0/', 'the host is an unspecified address'],
  ['http://168.63.129.16/', 'the host is an address of the cloud platform'],
  ['http://example.com:0/', 'port 0 cannot be connected to'],
] as const

const refused = shareHarness()

describe.each([SEND, BULK_SEND, SCHEDULE])('a %s', (_name, path, message) => {
  it.each(NEVER_CALLED)('refuses the callback URL %s when it is given: %s', async (url, why) => {
    for (const field of ['CallbackUrl', 'callbackUrl']) {
      const request = () => refused().call('POST', path, {}, { ...message, [field]: url })
      const errors = { [`/${field}`]: 'invalid_callback_url' } as const
      await refuses(refused(), request, 'invalid_callback_url', { errors, detail: why })
    }
  })

  it.each([
    'http://127.0.0.1:4000/',
    'http://[::1]/',
    'http://10.1.2.3/',
    'https://8.8.8.8/',
    'http://a.internal/',
  ])('takes %s where callbacks may go there, or a name does not tell', async (CallbackUrl) => {
    const harness = await openHarness({ callbackAllowedCidrs: ['10.1.0.0/16'] })
    const response = await harness.call('POST', path, {}, { ...message, CallbackUrl })
    expect(response.status).toBe(200)
  })

  it.each(['CallbackUrl', 'callbackUrl'])(
    "refuses %s from an assistant's connection, and takes it from the account's own credentials",
    async (field) => {
      const harness = await openHarness()
      const assistant = await connect(harness, harness.demo.accountId)
      const body = { ...message, [field]: 'https://collector.example/' }
      const errors = { [`/${field}`]: 'invalid_callback_url' } as const
      const request = () => harness.call('POST', path, assistant.headers, body)
      await refuses(harness, request, 'invalid_callback_url', { errors, detail: "an assistant's connection" })
      expect((await harness.call('POST', path, assistant.headers, message)).status).toBe(200)
      expect((await harness.call('POST', path, {}, body)).status).toBe(200)
    },
  )
})
