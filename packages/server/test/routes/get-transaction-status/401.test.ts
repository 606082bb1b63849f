import { describe, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { wrongCredentials } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('getTransactionStatus: 401', () => {
  it('answers credentials that prove nobody with invalid_credentials and a challenge', async () => {
    const harness = await openHarness()
    for (const { authorization, headers } of wrongCredentials(harness)) {
      const request = () => harness.getStatus('01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', { authorization })
      await refuses(harness, request, 'invalid_credentials', { headers })
    }
  })
})
