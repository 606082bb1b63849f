import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { exchange, head, onSocket, SOON } from '../socket.ts'

describe('sendSms: 408', () => {
  it('answers headers that do not arrive in time with request_timeout', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness, SOON)
    const text = head(harness, '/v1/messages/sms', {}).slice(0, -2)
    const detail = 'Expected the headers within 0.04 seconds and the whole request within 0.09.'
    await refuses(harness, () => exchange(url, text), 'request_timeout', { detail })
  })

  it('takes a body that arrives in two parts', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    const json = JSON.stringify(MESSAGE)
    const chunks = [json.slice(0, 20), json.slice(20), ''].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    )
    const fields = { 'transfer-encoding': 'chunked', connection: 'close' }
    const response = await exchange(url, head(harness, '/v1/messages/sms', fields) + chunks.join(''))
    expect(response.status).toBe(200)
  })
})
