import { describe, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

const NOT_THERE = [
  '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  'x',
  '%00',
  '%ff',
  'a'.repeat(5_000),
  '%27%20OR%201',
]

describe('getMessage: 404', () => {
  it.each(NOT_THERE)('answers %.40s with transaction_not_found', async (id) => {
    const harness = await openHarness()
    await refuses(harness, () => harness.call('GET', `/v1/messages/${id}`, {}), 'transaction_not_found')
  })

  it("answers another account's message as one that is not there", async () => {
    const harness = await openHarness()
    const { Ticket } = await (await harness.sendSms(MESSAGE)).json()
    const others = await anotherAccount(harness)
    const request = () => harness.call('GET', `/v1/messages/${Ticket}`, others)
    const detail = `This account has no transaction ${Ticket}.`
    await refuses(harness, request, 'transaction_not_found', { detail })
  })
})
