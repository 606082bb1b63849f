import { describe, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { malformedWallets, wrongCredentials } from '../others.ts'
import { refuses } from '../refuses.ts'

const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }

describe('getBalance: 401', () => {
  it('answers credentials that prove nobody with invalid_credentials and a challenge', async () => {
    const harness = await openHarness()
    for (const { authorization, headers } of wrongCredentials(harness)) {
      const request = () => harness.getBalance({ authorization })
      await refuses(harness, request, 'invalid_credentials', { headers })
    }
  })

  it('answers a missing or malformed wallet token with wallet_token_missing and a challenge', async () => {
    const harness = await openHarness()
    for (const wallet of malformedWallets(harness)) {
      const request = () => harness.getBalance({ 'x-wallet': wallet })
      await refuses(harness, request, 'wallet_token_missing', { headers: CHALLENGE })
    }
  })
})
