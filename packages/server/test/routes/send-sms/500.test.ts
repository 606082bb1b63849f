import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../../support/harness.ts'
import { expectFresh, NEEDED, openOn, whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'

const DETAIL = /^An unexpected error occurred\. Quote the requestId to support\.$/

describe('sendSms: 500', () => {
  it.each(NEEDED)(
    'answers a fault of %s in %s with internal_error, says nothing of it, and takes everything back',
    async (engine, table) => {
      const harness = await openOn(engine)
      expect((await harness.sendSms(MESSAGE)).status).toBe(200)
      const send = () => harness.sendSms(MESSAGE, { 'idempotency-key': 'k-1' })
      await refuses(harness, () => whileMissing(harness, table, send), 'internal_error', { detail: DETAIL })
      expectFresh(await send())
    },
  )
})
