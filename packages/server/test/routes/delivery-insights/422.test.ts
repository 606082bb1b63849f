import { describe, it } from 'vitest'
import type { ProblemCode } from '../../../src/kernel/errors.ts'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const WRONG: [query: string, pointer: string, code: ProblemCode][] = [
  ['', '/GroupBy', 'missing_field'],
  ['GroupBy=', '/GroupBy', 'invalid_value'],
  ['GroupBy=week', '/GroupBy', 'invalid_value'],
  ['GroupBy=day&DateFrom=x', '/DateFrom', 'invalid_value'],
  ['GroupBy=day&DateTo=2026-01-05', '/DateTo', 'invalid_value'],
  ['GroupBy=day&DateFrom=2026-01-05T09:00:00.001Z&DateTo=2026-01-05T09:00:00Z', '/DateFrom', 'invalid_value'],
  ['GroupBy=day&DateFrom=2026-01-05T09:00:01Z', '/DateFrom', 'invalid_value'],
]

const shared = shareHarness()

describe('deliveryInsights: 422', () => {
  it.each(WRONG)('answers %s, wrong at %s, with %s', async (query, pointer, code) => {
    const harness = shared()
    const request = () => harness.call('GET', `/v1/insights/delivery?${query}`, {})
    await refuses(harness, request, code, { errors: { [pointer]: code } })
  })
})
