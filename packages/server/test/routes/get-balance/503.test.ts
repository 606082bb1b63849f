import { describe, it } from 'vitest'
import { cutOff, openOnPostgres } from '../breakage.ts'
import { expectProblem } from '../refuses.ts'

describe('getBalance: 503', () => {
  it('answers unavailable, and when to come back, while the store cannot be reached', async () => {
    const { harness, url } = await openOnPostgres()
    await harness.getBalance()
    await cutOff(url)
    await expectProblem(await harness.getBalance(), 'unavailable', { headers: { 'retry-after': '1' } })
  })
})
