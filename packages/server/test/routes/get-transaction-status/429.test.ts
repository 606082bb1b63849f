import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const TICKET = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

describe('getTransactionStatus: 429', () => {
  it('answers the request beyond the burst with rate_limited and says when to go on', async () => {
    const harness = await openHarness({ rateLimit: { perSecond: 1, burst: 1 } })
    expect((await harness.getStatus(TICKET)).status).toBe(404)
    const headers = {
      'retry-after': '1',
      ratelimit: '"default";r=0;t=1',
      'ratelimit-policy': '"default";q=1;w=1',
    }
    await refuses(harness, () => harness.getStatus(TICKET), 'rate_limited', { headers })
    await harness.advance(1_000)
    expect((await harness.getStatus(TICKET)).status).toBe(404)
  })
})
