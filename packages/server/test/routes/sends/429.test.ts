import { describe, expect, it } from 'vitest'
import { connect } from '../../support/assistants.ts'
import { openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

const rateLimit = { perSecond: 2, burst: 3 }

import { SENDS, type Send } from './send.ts'

function tooMany({ operation, message }: Send): void {
  describe(`${operation}: 429`, () => {
    it('answers the request beyond the burst with rate_limited and says when to go on', async () => {
      const harness = await openHarness({ rateLimit })
      for (const left of [2, 1, 0]) {
        const { status, headers } = await harness[operation](message)
        expect([status, headers.get('ratelimit')]).toEqual([
          200,
          expect.stringContaining(`"default";r=${left};t=`),
        ])
        expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=2')
      }
      const headers = {
        'retry-after': '1',
        ratelimit: '"default";r=0;t=2',
        'ratelimit-policy': '"default";q=3;w=2',
      }
      await refuses(harness, () => harness[operation](message), 'rate_limited', { headers })
      await harness.advance(1_000)
      expect((await harness[operation](message)).status).toBe(200)
    })

    it('counts each client and each connection by itself', async () => {
      const harness = await openHarness({ rateLimit: { perSecond: 1, burst: 1 } })
      const other = await anotherAccount(harness)
      expect((await harness[operation](message)).status).toBe(200)
      await refuses(harness, () => harness[operation](message), 'rate_limited')
      expect((await harness[operation](message, other)).status).toBe(200)
      const { headers } = await connect(harness, harness.demo.accountId)
      expect((await harness[operation](message, headers)).status).toBe(200)
      await refuses(harness, () => harness[operation](message, headers), 'rate_limited')
    })

    it('names no limit where there is none', async () => {
      const { [operation]: send } = await openHarness()
      const { headers } = await send(message)
      expect([headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([false, false])
    })
  })
}

for (const send of SENDS) tooMany(send)
