import { describe, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'

const TICKET = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

describe('getTransactionStatus: 500', () => {
  it('answers a fault of the store with internal_error, and says nothing of it', async () => {
    const harness = await openHarness()
    await harness.getBalance()
    const request = () => whileMissing(harness, 'messages', () => harness.getStatus(TICKET))
    const detail = /^An unexpected error occurred\. Quote the requestId to support\.$/
    await refuses(harness, request, 'internal_error', { detail })
  })
})
