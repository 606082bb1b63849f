import { describe, expect, it } from 'vitest'
import { BULK, openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

describe('sendBulkSms: 400', () => {
  const refused = shareHarness()

  it('answers more values than any bulk has with invalid_json, before they are parsed', async () => {
    for (const value of ['1', '{}', '[]']) {
      const body = `[${`${value},`.repeat(100_000)}${value}]`
      const detail = 'the text has more than 100000 values'
      await refuses(refused(), () => refused().sendBulkSms(body), 'invalid_json', { detail })
    }
  })

  it('takes as many commas as it likes within a text', async () => {
    const { sendBulkSms } = await openHarness()
    expect((await sendBulkSms({ ...BULK, unknown: ','.repeat(100_001) })).status).toBe(200)
  })
})
