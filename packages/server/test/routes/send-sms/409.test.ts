import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../../support/harness.ts'
import { holdKey, openHasty } from '../breakage.ts'
import { refuses } from '../refuses.ts'

describe('sendSms: 409', () => {
  it('answers idempotency_in_progress while the key is in use, and works afterwards', async () => {
    const { harness, url } = await openHasty()
    const send = () => harness.sendSms(MESSAGE, { 'idempotency-key': 'k-1' })
    expect((await send()).status).toBe(200)
    const letGo = await holdKey(url)
    await refuses(harness, send, 'idempotency_in_progress', { headers: { 'retry-after': '1' } })
    expect((await harness.sendSms(MESSAGE, { 'idempotency-key': 'k-2' })).status).toBe(200)
    await letGo()
    const response = await send()
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, null])
  })
})
