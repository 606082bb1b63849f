import { describe, it } from 'vitest'
import { connect, WIDE } from '../../support/assistants.ts'
import { BULK, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

describe('sendBulkSms: 403', () => {
  it('names each number that a connection may not send to, and sends to none', async () => {
    const harness = await openHarness()
    const recipients = Array.from({ length: 12 }, (_, index) => `23320${index + 1}*`)
    const { headers } = await connect(harness, harness.demo.accountId, { ...WIDE, recipients })
    const numbers = ['233201234567', '233241234567', '233202234567', '233551234567']
    const body = { ...BULK, Recipients: numbers.map((To) => ({ To })) }
    const code = 'recipient_not_allowed'
    await refuses(harness, () => harness.sendBulkSms(body, headers), code, {
      errors: { '/Recipients/1/To': code, '/Recipients/3/To': code },
      detail: /, 2332010\* and 2 more, and not to 233241234567\. And 1 more\.$/,
    })
  })
})
