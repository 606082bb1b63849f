import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

describe('getBalance: 429', () => {
  it('answers the request beyond the burst with rate_limited and says when to go on', async () => {
    const harness = await openHarness({ rateLimit: { perSecond: 1, burst: 1 } })
    expect((await harness.getBalance()).status).toBe(200)
    const headers = {
      'retry-after': '1',
      ratelimit: '"default";r=0;t=1',
      'ratelimit-policy': '"default";q=1;w=1',
    }
    await refuses(harness, () => harness.getBalance(), 'rate_limited', { headers })
    await harness.advance(1_000)
    expect((await harness.getBalance()).status).toBe(200)
  })
})
