import { zSenderIdList } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'

const PATH = '/v1/account/sender-ids'

describe('listSenderIds: 200', () => {
  it('answers every sender ID of the account, how far each one got and since when', async () => {
    const { call, operator, demo, advance } = await openHarness()
    await advance(60_000)
    await operator.setSender(demo.accountId, 'Shop', 'pending')
    await operator.setSender(demo.accountId, '12345', 'rejected')
    const DateCreated = '2026-01-05T09:01:00.125Z'
    expect(await answerOf(call('GET', PATH, {}), zSenderIdList)).toEqual({
      Items: [
        { SenderId: '12345', Status: 'rejected', DateCreated },
        { SenderId: 'Shop', Status: 'pending', DateCreated },
        { SenderId: 'WIGWAG', Status: 'approved', DateCreated: '2026-01-05T09:00:00.125Z' },
      ],
    })
  })

  it('shows an approval at once, with the date that the sender ID was first asked for', async () => {
    const { call, operator, demo, advance } = await openHarness()
    await operator.setSender(demo.accountId, 'Shop', 'pending')
    await advance(60_000)
    await operator.setSender(demo.accountId, 'Shop', 'approved')
    const { Items } = await answerOf(call('GET', PATH, {}), zSenderIdList)
    const DateCreated = '2026-01-05T09:00:00.125Z'
    expect(Items).toContainEqual({ SenderId: 'Shop', Status: 'approved', DateCreated })
  })

  it("shows none of another account's", async () => {
    const harness = await openHarness()
    const { Items } = await answerOf(harness.call('GET', PATH, await anotherAccount(harness)), zSenderIdList)
    expect(Items.map(({ SenderId }) => SenderId)).toEqual(['OTHER', 'WIGWAG'])
    expect((await answerOf(harness.call('GET', PATH, {}), zSenderIdList)).Items).toHaveLength(1)
  })
})
