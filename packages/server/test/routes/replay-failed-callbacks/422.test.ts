import { describe, it } from 'vitest'
import type { ProblemCode } from '../../../src/kernel/errors.ts'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const WRONG: [unknown, ProblemCode][] = [
  [undefined, 'missing_field'],
  [null, 'invalid_type'],
  [1_767_603_600_000, 'invalid_type'],
  ['', 'invalid_value'],
  ['yesterday', 'invalid_value'],
  ['2026-01-05', 'invalid_value'],
  ['2026-01-05T09:00:00', 'invalid_value'],
]

describe('replayFailedCallbacks: 422', () => {
  it.each(WRONG)('answers Since %j with %s', async (Since, code) => {
    const harness = await openHarness()
    const request = () => harness.call('POST', '/v1/callbacks/replay', {}, { Since })
    await refuses(harness, request, code, { errors: { '/Since': code } })
  })
})
