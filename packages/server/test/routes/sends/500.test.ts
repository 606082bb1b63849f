import { describe, expect, it } from 'vitest'
import { unfinished } from '../../support/books.ts'
import { expectFresh, NEEDED, openOn, whileMissing } from '../breakage.ts'
import { refuses } from '../refuses.ts'
import { SENDS, type Send } from './send.ts'

function takenBack({ operation, message }: Send): void {
  describe(`${operation}: 500`, () => {
    it.each(NEEDED)(
      'answers a fault of %s in %s with internal_error, and takes everything back',
      async (engine, table) => {
        const harness = await openOn(engine)
        expect((await harness[operation](message)).status).toBe(200)
        // A job that can't store its result is waited for when the gateway stops.
        while ((await unfinished(harness.database)) > 0) await harness.advance(1_000)
        const send = () => harness[operation](message, { 'idempotency-key': 'k-1' })
        await refuses(harness, () => whileMissing(harness, table, send), 'internal_error')
        expectFresh(await send())
      },
    )
  })
}

for (const send of SENDS) takenBack(send)
