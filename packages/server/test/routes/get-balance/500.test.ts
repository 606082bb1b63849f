import { describe, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'

describe('getBalance: 500', () => {
  it('answers a fault of the store with internal_error, and says nothing of it', async () => {
    const harness = await openHarness()
    await harness.getBalance()
    const request = () => whileMissing(harness, 'wallets', () => harness.getBalance())
    const detail = /^An unexpected error occurred\. Quote the requestId to support\.$/
    await refuses(harness, request, 'internal_error', { detail })
  })
})
