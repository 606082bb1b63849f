import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { connect, WIDE } from '../../support/assistants.ts'
import { openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'
import { SENDS, type Send } from './send.ts'

function forbidden({ operation, message }: Send): void {
  describe(`${operation}: 403`, () => {
    it('answers a sender that nobody approved for the account with sender_not_approved', async () => {
      const harness = await openHarness()
      await anotherAccount(harness)
      await harness.operator.setSender(harness.demo.accountId, 'PENDING', 'pending')
      await harness.operator.setSender(harness.demo.accountId, 'REJECTED', 'rejected')
      for (const From of ['UNKNOWN', 'PENDING', 'REJECTED', 'OTHER', 'wigwag']) {
        const request = () => harness[operation]({ ...message, From })
        await refuses(harness, request, 'sender_not_approved', { detail: /Approved sender IDs: WIGWAG\.$/ })
      }
    })

    it('sends in the name of a sender once it is approved', async () => {
      const { operator, demo, [operation]: send } = await openHarness()
      await operator.setSender(demo.accountId, 'MyShop', 'approved')
      expect((await send({ ...message, From: 'MyShop' })).status).toBe(200)
    })

    it('answers an access token that may only read with insufficient_scope', async () => {
      const harness = await openHarness()
      const { headers } = await connect(harness, harness.demo.accountId, 'only reading')
      const challenge = 'Bearer error="insufficient_scope", scope="sms:send"'
      await refuses(harness, () => harness[operation](message, headers), 'insufficient_scope', {
        headers: { 'www-authenticate': challenge },
      })
    })

    it('answers what a connection may not spend or send on a day with limit_reached', async () => {
      const harness = await openHarness()
      const { accountId } = harness.demo
      const poor = await connect(harness, accountId, { ...WIDE, dailySpend: micros(41_999) })
      await refuses(harness, () => harness[operation](message, poor.headers), 'limit_reached', {
        detail: /^This connection may spend 0\.041999 GHS a day and has 0\.041999 left; this costs 0\.042\. /,
      })
      const silent = await connect(harness, accountId, { ...WIDE, dailyMessages: 0 })
      await refuses(harness, () => harness[operation](message, silent.headers), 'limit_reached', {
        detail: /^This connection may send 0 messages a day and has 0 left; this is 1 message\. /,
      })
    })

    it('answers a number that a connection may not send to with recipient_not_allowed', async () => {
      const harness = await openHarness()
      const limits = { ...WIDE, recipients: ['23320*', '23324123456', '2332412345678'] }
      const { headers } = await connect(harness, harness.demo.accountId, limits)
      const pointer = operation === 'sendSms' ? '/To' : '/Recipients/0/To'
      await refuses(harness, () => harness[operation](message, headers), 'recipient_not_allowed', {
        errors: { [pointer]: 'recipient_not_allowed' },
      })
    })
  })
}

for (const send of SENDS) forbidden(send)
