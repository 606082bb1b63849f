import { describe, it } from 'vitest'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const shared = shareHarness()

describe('getRates: 422', () => {
  it.each(['ZZ', 'AQ', 'zz'])('answers %s, which has no rate, with no_rate', async (country) => {
    const harness = shared()
    const detail = `There is no rate in GHS for ${country.toUpperCase()}.`
    const request = () => harness.call('GET', `/v1/rates/${country}`, {})
    await refuses(harness, request, 'no_rate', { errors: { '/country': 'no_rate' }, detail })
  })

  it.each(['G', 'GHA', 'G1', '%20G', 'ĠH', '..%2F'])('answers %s with invalid_value', async (country) => {
    const harness = shared()
    const request = () => harness.call('GET', `/v1/rates/${country}`, {})
    await refuses(harness, request, 'invalid_value', { errors: { '/country': 'invalid_value' } })
  })
})
