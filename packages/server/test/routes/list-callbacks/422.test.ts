import { describe, it } from 'vitest'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const shared = shareHarness()

describe('listCallbacks: 422', () => {
  it.each([
    ['State', 'failed'],
    ['State', ''],
    ['Ticket', 'x'],
    ['Ticket', "' OR 1=1"],
    ['Limit', '0'],
    ['Limit', '201'],
    ['Cursor', 'x'],
    ['Cursor', Buffer.from('1 2').toString('base64url')],
  ])('answers %s=%s with invalid_value', async (name, value) => {
    const harness = shared()
    const request = () => harness.call('GET', `/v1/callbacks?${new URLSearchParams({ [name]: value })}`, {})
    await refuses(harness, request, 'invalid_value', { errors: { [`/${name}`]: 'invalid_value' } })
  })
})
