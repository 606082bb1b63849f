import { describe, it } from 'vitest'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const harness = shareHarness()

describe('requestSenderId: 422', () => {
  it.each([
    [{}, 'missing_field'],
    [{ SenderId: 5 }, 'invalid_type'],
    [{ SenderId: '' }, 'invalid_sender'],
    [{ SenderId: '12' }, 'invalid_sender'],
    [{ SenderId: ' Shop' }, 'invalid_sender'],
    [{ SenderId: 'Twelve chars' }, 'invalid_sender'],
    [{ SenderId: 'Shop & Co' }, 'invalid_sender'],
    [{ SenderId: 'Shöp' }, 'invalid_sender'],
  ] as const)('answers %j with %s', async (body, code) => {
    const request = () => harness().call('POST', '/v1/account/sender-ids', {}, body)
    await refuses(harness(), request, code, { errors: { '/SenderId': code } })
  })
})
