import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness, shareHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('getTransactionStatus: 404', () => {
  const refused = shareHarness()

  it.each([
    '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
    'x',
    '0',
    'null',
    'a'.repeat(65),
    'a'.repeat(5_000),
    '%00',
    '%ff',
    '%zz',
    'a%2Fb',
    '%27%20OR%201=1--',
    '{01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f}',
  ])('answers the ticket %s with transaction_not_found', async (ticket) => {
    await refuses(refused(), () => refused().getStatus(ticket), 'transaction_not_found')
  })

  it("answers another account's ticket as one that is not there", async () => {
    const harness = await openHarness()
    const { Ticket } = await (await harness.sendSms(MESSAGE)).json()
    const { authorization } = await anotherAccount(harness)
    const detail = `This account has no transaction ${Ticket}.`
    await refuses(harness, () => harness.getStatus(Ticket, { authorization }), 'transaction_not_found', {
      detail,
    })
    expect((await harness.getStatus(Ticket)).status).toBe(200)
  })
})
