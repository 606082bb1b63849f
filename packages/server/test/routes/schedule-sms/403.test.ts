import { describe, it } from 'vitest'
import { connect, WIDE } from '../../support/assistants.ts'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('scheduleSms: 403', () => {
  it("answers a sender that is unknown, unapproved or another's with sender_not_approved", async () => {
    const harness = await openHarness()
    await anotherAccount(harness)
    await harness.operator.setSender(harness.demo.accountId, 'PENDING', 'pending')
    await harness.operator.setSender(harness.demo.accountId, 'REJECTED', 'rejected')
    for (const From of ['UNKNOWN', 'PENDING', 'REJECTED', 'OTHER', 'wigwag']) {
      const body = { ...MESSAGE, From, SendAt: '2026-01-06T09:00:00Z' }
      const request = () => harness.call('POST', '/v1/messages/sms/scheduled', {}, body)
      await refuses(harness, request, 'sender_not_approved', { detail: /Approved sender IDs: WIGWAG\.$/ })
    }
  })

  it.each([
    ['insufficient_scope', 'only reading' as const, undefined],
    ['limit_reached', { ...WIDE, dailyMessages: 0 }, undefined],
    [
      'recipient_not_allowed',
      { ...WIDE, recipients: ['23320*'] },
      { '/To': 'recipient_not_allowed' as const },
    ],
  ] as const)(
    'answers what a connection may not do with %s, now and not at its time',
    async (code, limits, errors) => {
      const harness = await openHarness()
      const { headers } = await connect(harness, harness.demo.accountId, limits)
      const body = { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' }
      const request = () => harness.call('POST', '/v1/messages/sms/scheduled', headers, body)
      await refuses(harness, request, code, errors && { errors })
    },
  )
})
