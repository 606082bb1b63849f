import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../../support/harness.ts'
import { holdKey, openHasty } from '../breakage.ts'
import { refuses } from '../refuses.ts'

describe('scheduleSms: 409', () => {
  it('answers idempotency_in_progress while the key is in use, and works afterwards', async () => {
    const { harness, url } = await openHasty()
    const body = { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' }
    const path = '/v1/messages/sms/scheduled'
    const request = () => harness.call('POST', path, { 'idempotency-key': 'k-1' }, body)
    expect((await request()).status).toBe(200)
    const letGo = await holdKey(url)
    await refuses(harness, request, 'idempotency_in_progress', { headers: { 'retry-after': '1' } })
    await letGo()
    expect((await request()).status).toBe(200)
  })
})
