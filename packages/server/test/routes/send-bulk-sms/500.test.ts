import { describe, expect, it } from 'vitest'
import { BULK, openHarness } from '../../harness.ts'
import { whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'

const DETAIL = /^Nothing is known of the cause here\. Quote the requestId to support\.$/

describe('sendBulkSms: 500', () => {
  it.each(['messages', 'outbox', 'wallets', 'idempotency'])(
    'answers a fault of the store in %s with internal_error, says nothing of it, and takes everything back',
    async (table) => {
      const harness = await openHarness()
      expect((await harness.sendBulkSms(BULK)).status).toBe(200)
      const send = () => harness.sendBulkSms(BULK, { 'idempotency-key': 'k-1' })
      await refuses(harness, () => whileMissing(harness, table, send), 'internal_error', { detail: DETAIL })
      const again = await send()
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null])
    },
  )
})
