import { describe, it } from 'vitest'
import { MESSAGE, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

describe('the platform: 404', () => {
  const harness = shareHarness()

  it.each([
    ['POST', '/'],
    ['GET', '/nothing'],
    ['GET', '/v1'],
    ['GET', '/v2/account/balance'],
    ['GET', '/v1/account/balance/'],
    ['GET', '/V1/account/balance'],
    ['GET', '//v1/account/balance'],
    ['GET', '/v1/transactions//status'],
    ['GET', '/v1/transactions/a/b/status'],
    ['POST', '/v1/messages/sms/'],
    ['POST', '/v1/messages/sms/bulk'],
    ['DELETE', '/v1/messages/sms/bulk/otm/x'],
    ['GET', '/%2e%2e/etc/passwd'],
  ])('answers %s %s with route_not_found', async (method, path) => {
    const body = method === 'POST' ? MESSAGE : undefined
    await refuses(harness(), () => harness().call(method, path, {}, body), 'route_not_found')
  })
})
