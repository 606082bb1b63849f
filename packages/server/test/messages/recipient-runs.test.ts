import { count, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { phoneOf } from '../../src/kernel/phone/phone.ts'
import { hasKeyOf, keysOf, RecipientRuns, RUN } from '../../src/messages/search-keys.ts'
import { insertRows } from '../../src/store/rows.ts'
import { messageRow } from '../history/message-rows.ts'
import { type EngineName, useStore } from '../support/engine.ts'
import { NOW } from '../support/rows-of.ts'

const WALLET = { id: 'w', accountId: 'a' }

describe.each<EngineName>(['SQLite in memory', 'PostgreSQL'])('the runs of recipients on %s', (engine) => {
  const store = useStore(engine)

  it('begin with the first, and each takes so many messages and the rest of a batch', async () => {
    const recipientRuns = new RecipientRuns(store.database)
    const sizes = [RUN - 1, 5, 1, RUN - 1, 1]
    const runs: number[] = []
    for (const size of sizes) runs.push(await recipientRuns.next(size))
    expect(runs).toEqual([1, 1, 2, 2, 3])
  })

  it('are searched from the oldest one that still has messages, not from the first', async () => {
    const { database } = store
    const phone = phoneOf('233241234567')
    const keys = async () => {
      const [row] = await database.read(({ db }) =>
        db.select({ count: count() }).from(sql`(${keysOf(WALLET.id, phone)}) AS keys`),
      )
      return row?.count
    }
    expect(await keys()).toBeLessThanOrEqual(1)
    const kept = [191_990, 192_000].map((run) => messageRow(WALLET, { createdAt: epochMs(NOW) }, run))
    await database.write((tx) => insertRows(tx, tx.t.messages, kept))
    expect(await keys()).toBeLessThanOrEqual(12)
    const found = await database.read((tx) =>
      tx.db
        .select({ id: tx.t.messages.id })
        .from(tx.t.messages)
        .where(hasKeyOf(tx, WALLET.id, phone)),
    )
    expect(found.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort())
  })

  it('go on after the newest one that is stored', async () => {
    const ended = [3, 5, 4].map((run) => messageRow(WALLET, { createdAt: epochMs(NOW) }, run))
    await store.database.write((tx) => insertRows(tx, tx.t.messages, ended))
    expect(await new RecipientRuns(store.database).next(1)).toBe(6)
  })
})
