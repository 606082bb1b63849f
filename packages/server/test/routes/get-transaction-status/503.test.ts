import { describe, it } from 'vitest'
import { cutOff, openOnPostgres } from '../breakage.ts'
import { expectProblem } from '../refuses.ts'

const TICKET = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

describe('getTransactionStatus: 503', () => {
  it('answers unavailable, and when to come back, while the store cannot be reached', async () => {
    const { harness, url } = await openOnPostgres()
    await harness.getBalance()
    await cutOff(url)
    await expectProblem(await harness.getStatus(TICKET), 'unavailable', { headers: { 'retry-after': '1' } })
  })
})
