import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../../src/kernel/errors.ts'
import { MESSAGE, openHarness, shareHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

const WRONG = [
  ['Limit', '0', 'invalid_value'],
  ['Limit', '201', 'invalid_value'],
  ['Limit', 'all', 'invalid_type'],
  ['Cursor', '', 'invalid_value'],
  ['Cursor', 'x', 'invalid_value'],
  ['DateFrom', 'yesterday', 'invalid_value'],
  ['DateTo', '2026-01-05', 'invalid_value'],
] as const

const shared = shareHarness()

describe('listLedger: 422', () => {
  it.each(WRONG)('answers %s=%s with %s', async (name, value, code) => {
    const harness = shared()
    const request = () =>
      harness.call('GET', `/v1/account/ledger?${new URLSearchParams({ [name]: value })}`, {})
    await refuses(harness, request, code, { errors: { [`/${name}`]: code } })
  })

  it("refuses a cursor that another wallet's ledger or another listing made", async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    await harness.sendSms(MESSAGE)
    await harness.sendSms(MESSAGE)
    await harness.advance(10_000)
    for (const path of ['/v1/account/ledger', '/v1/messages']) {
      const { NextCursor }: { NextCursor: string } = await (
        await harness.call('GET', `${path}?Limit=1`, {})
      ).json()
      expect(NextCursor).toBeTypeOf('string')
      const request = () => harness.call('GET', `/v1/account/ledger?Cursor=${NextCursor}`, other)
      const code: ProblemCode = 'invalid_value'
      await refuses(harness, request, code, { errors: { '/Cursor': code } })
    }
  })
})
