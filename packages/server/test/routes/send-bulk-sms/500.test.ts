import { describe, expect, it } from 'vitest'
import { BULK } from '../../support/harness.ts'
import { expectFresh, NEEDED, openOn, whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'

const DETAIL = /^An unexpected error occurred\. Quote the requestId to support\.$/

describe('sendBulkSms: 500', () => {
  it.each(NEEDED)(
    'answers a fault of %s in %s with internal_error, says nothing of it, and takes everything back',
    async (engine, table) => {
      const harness = await openOn(engine)
      expect((await harness.sendBulkSms(BULK)).status).toBe(200)
      const send = () => harness.sendBulkSms(BULK, { 'idempotency-key': 'k-1' })
      await refuses(harness, () => whileMissing(harness, table, send), 'internal_error', { detail: DETAIL })
      expectFresh(await send())
    },
  )
})
