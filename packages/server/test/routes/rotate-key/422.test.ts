import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { currentOf, keysOf } from '../keys.ts'
import { refuses } from '../refuses.ts'

describe('rotateKey: 422', () => {
  it.each([
    [{}, 'missing_field'],
    [{ KeepOldFor: 3600 }, 'invalid_value'],
    [{ KeepOldFor: 'P2D' }, 'invalid_value'],
    [{ KeepOldFor: '' }, 'invalid_value'],
  ] as const)('answers %j with %s, and replaces nothing', async (body, code) => {
    const harness = await openHarness()
    const { Id } = await currentOf(harness, 'client')
    const before = await keysOf(harness)
    const request = () => harness.call('POST', `/v1/account/keys/${Id}/rotate`, {}, body)
    await refuses(harness, request, code, { errors: { '/KeepOldFor': code } })
    expect(await keysOf(harness)).toEqual(before)
  })
})
