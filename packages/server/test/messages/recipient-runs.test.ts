import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/domain/ids.ts'
import { createRecipientRuns, RUN } from '../../src/messages/search-keys.ts'
import { insertRows } from '../../src/platform/database/rows.ts'
import { messageRow } from '../history/message-rows.ts'
import { type EngineName, useStore } from '../support/engine.ts'
import { NOW } from '../support/rows-of.ts'

const WALLET = { id: 'w', accountId: 'a' }

describe.each<EngineName>(['SQLite in memory', 'PostgreSQL'])('the runs of recipients on %s', (engine) => {
  const store = useStore(engine)

  it('begin with the first, and each takes so many messages and the rest of a batch', async () => {
    const runFor = createRecipientRuns(store.database)
    const sizes = [RUN - 1, 5, 1, RUN - 1, 1]
    const runs: number[] = []
    for (const size of sizes) runs.push(await runFor(size))
    expect(runs).toEqual([1, 1, 2, 2, 3])
  })

  it('go on after the newest one that is stored, whatever older messages have for a key', async () => {
    const ended = [3, 5, 4].map((run) => messageRow(WALLET, { createdAt: epochMs(NOW) }, run))
    const older = { ...messageRow(WALLET, { createdAt: epochMs(NOW) }), recipientKey: 2 ** 52 }
    await store.database.write((tx) => insertRows(tx, tx.t.messages, [...ended, older]))
    expect(await createRecipientRuns(store.database)(1)).toBe(6)
  })
})
