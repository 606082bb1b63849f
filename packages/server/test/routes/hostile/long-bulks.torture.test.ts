import { expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { bulkOf } from './bulk-of.ts'

it.each([
  ['100,000 recipients', '{"To":"2332412"}', 100_000],
  ['a million recipients that are none', '0', 1_000_000],
])('sendBulkSms refuses %s without looking at each', async (_, recipient, count) => {
  const harness = await openHarness()
  const errors = { '/Recipients': 'too_many_recipients' } as const
  const body = bulkOf(recipient, count)
  const startedAt = performance.now()
  await refuses(harness, () => harness.sendBulkSms(body), 'too_many_recipients', { errors })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
