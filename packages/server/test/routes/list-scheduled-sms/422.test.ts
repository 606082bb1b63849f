import { describe, it } from 'vitest'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const shared = shareHarness()

describe('listScheduledSms: 422', () => {
  it.each([
    ['Limit', '0'],
    ['Limit', '201'],
    ['Cursor', 'x'],
    ['Cursor', Buffer.from('x 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f').toString('base64url')],
  ])('answers %s=%s with invalid_value', async (name, value) => {
    const harness = shared()
    const path = `/v1/messages/sms/scheduled?${new URLSearchParams({ [name]: value })}`
    const errors = { [`/${name}`]: 'invalid_value' } as const
    await refuses(harness, () => harness.call('GET', path, {}), 'invalid_value', { errors })
  })
})
