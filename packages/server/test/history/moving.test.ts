import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import type { Status } from '../../src/kernel/message.ts'
import { EVERYTHING } from '../../src/messages/history/index-ranges.ts'
import { searchMessages } from '../../src/messages/history/search.ts'
import { searchWords } from '../../src/messages/history/word-search.ts'
import { walletsOf } from '../../src/money/wallets.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { aPlace, openBench, START } from '../support/bench.ts'
import { messageRow } from './message-rows.ts'

/** Runs others' changes outside the async context of the read that is under way. */
const outside = AsyncLocalStorage.snapshot()

/** A connection on which something happens after so many look-ups. */
function interrupted(tx: Tx, after: number, happens: () => Promise<unknown>): Tx {
  let looks = 0
  return { ...tx, db: watched(tx.db) }

  /** Every step of a query gives the next one; the one that is awaited is the look-up. */
  function watched<T extends object>(query: T): T {
    return new Proxy(query, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'then')
          return (...then: Parameters<Promise<unknown>['then']>) => looked(target).then(...then)
        return (...values: unknown[]) => watched(Reflect.apply(value, target, values))
      },
    })
  }

  async function looked(query: object): Promise<unknown> {
    const rows: unknown = await query
    looks++
    if (looks === after) await outside(happens)
    return rows
  }
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('a search by sender on %s', (engine) => {
  it('finds a message exactly once while it becomes final, whenever that is', async () => {
    const { database, demo } = await openBench({ database: await aPlace(engine) })
    const [wallet] = await database.read((tx) => walletsOf(tx, demo.accountId))
    if (!wallet) throw new Error('an account has a wallet')
    const message = messageRow(wallet, { createdAt: epochMs(START), status: 'pending' })
    await database.write((tx) => insertRows(tx, tx.t.messages, [message]))
    const setStatus = (status: Status) => {
      const { senderKey } = messageRow(wallet, { createdAt: epochMs(START), status })
      return database.write(({ run }) =>
        run('UPDATE messages SET status = $1, sender_key = $2', [status, senderKey]),
      )
    }
    for (let after = 1; after <= 8; after++) {
      await setStatus('pending')
      const found = await database.read((tx) =>
        searchMessages(
          interrupted(tx, after, () => setStatus('failed')),
          { walletId: wallet.id, senders: ['WIGWAG'] },
          { ...EVERYTHING, sender: 'WIGWAG' },
          { after: undefined, limit: 10 },
        ),
      )
      expect(found.rows.map(({ id }) => id)).toEqual([message.id])
    }
  })

  it('by words finds a message that becomes final while others are read', async () => {
    const { database, demo } = await openBench({ database: await aPlace(engine) })
    const [wallet] = await database.read((tx) => walletsOf(tx, demo.accountId))
    if (!wallet) throw new Error('an account has a wallet')
    const at = (index: number) => epochMs(START - index * 1_000)
    const rows = Array.from({ length: 1_200 }, (_, index) =>
      messageRow(wallet, { createdAt: at(index), status: index === 0 ? 'pending' : 'success' }),
    )
    const needle = messageRow(wallet, { createdAt: at(100), status: 'pending', content: 'needle' })
    await database.write((tx) => insertRows(tx, tx.t.messages, [...rows, needle]))
    let reads = 0
    const settled = messageRow(wallet, { createdAt: at(100), status: 'success' })
    const watched: Database = {
      ...database,
      async read(work) {
        const result = await database.read(work)
        if (++reads === 3) {
          const change = "UPDATE messages SET status = 'success', sender_key = $1 WHERE id = $2"
          await database.write(({ run }) => run(change, [settled.senderKey, needle.id]))
        }
        return result
      },
    }
    const found = await searchWords(watched, {
      scope: { walletId: wallet.id, senders: ['WIGWAG'] },
      filter: { ...EVERYTHING, statuses: ['pending', 'success'] },
      words: ['needle'],
      after: undefined,
      limit: 10,
    })
    expect(reads).toBeGreaterThan(3)
    expect(found.rows).toMatchObject([{ id: needle.id, status: 'success' }])
    expect(found.scanned).toBe(1_201)
  })
})
