import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import {
  forgetReplies,
  pruneReplies,
  type StoredReply,
  storeReplies,
} from '../../src/messages/sending/idempotency.ts'
import type { Database } from '../../src/store/database.ts'
import { SLICE } from '../../src/store/slices.ts'
import type { Store } from '../support/engine.ts'
import { NOW } from '../support/rows-of.ts'

const reply = (scope: string, by: string): StoredReply => ({
  scope,
  fingerprint: `f-${by}`,
  response: `r-${by}`,
})

export function replies(store: Store): void {
  const put = (made: readonly StoredReply[], database: Database = store.database, now = NOW) =>
    database.write((tx) => storeReplies(tx, made, now))
  const stored = () =>
    store.database.read(({ run }) =>
      run<StoredReply>('SELECT scope, fingerprint, response FROM idempotency', []),
    )

  describe('replies under a key', () => {
    it('are stored once when twenty writers come at the same time, and all others are given that one', async () => {
      const handles = [store.database, store.another()]
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => put([reply('scope', String(index))], handles[index % 2])),
      )
      const winners = answers.filter((answer) => answer.size === 0)
      expect(winners).toHaveLength(1)
      const [kept] = await stored()
      for (const answer of answers) expect([undefined, kept]).toContainEqual(answer.get('scope'))
    })

    it('are told apart in a batch: the new ones are stored, the known ones returned', async () => {
      const scopes = Array.from({ length: 100 }, (_, index) => `scope-${index}`)
      const known = scopes.filter((_, index) => index % 3 === 0)
      await put(known.map((scope) => reply(scope, 'first')))
      const answer = await put(scopes.map((scope) => reply(scope, 'second')))
      expect([...answer.keys()].sort()).toEqual([...known].sort())
      for (const scope of known) expect(answer.get(scope)).toEqual(reply(scope, 'first'))
      expect(await stored()).toHaveLength(100)
    })

    it('come through when batches name the same keys in opposite orders', async () => {
      const scopes = Array.from({ length: 64 }, (_, index) => `scope-${index}`)
      const handles = [store.database, store.another()]
      const batches = Array.from({ length: 10 }, (_, index) => {
        const order = index % 2 === 0 ? scopes : [...scopes].reverse()
        return put(
          order.map((scope) => reply(scope, String(index))),
          handles[index % 2],
        )
      })
      const answers = await Promise.all(batches)
      expect(answers.filter((answer) => answer.size === 0)).toHaveLength(1)
      expect(new Set((await stored()).map(({ response }) => response)).size).toBe(1)
    })

    it('are free again when the transaction that stored them is taken back', async () => {
      const failing = store.database.write(async (tx) => {
        await storeReplies(tx, [reply('scope', 'failed')], NOW)
        throw new Error('on purpose')
      })
      const waiting = put([reply('scope', 'next')], store.another())
      await expect(failing).rejects.toThrow('on purpose')
      expect((await waiting).size).toBe(0)
      expect(await stored()).toEqual([reply('scope', 'next')])
    })

    it('are stored when the one before expires at the moment in which it is looked up', async () => {
      await put([reply('scope', 'old')])
      const answer = await store.database.write((tx) => {
        const run: typeof tx.run = async (text, values) => {
          if (text.startsWith('SELECT')) await pruneReplies(tx, epochMs(NOW + 1))
          return tx.run(text, values)
        }
        return storeReplies({ run }, [reply('scope', 'new')], NOW)
      })
      expect(answer.size).toBe(0)
      expect(await stored()).toEqual([reply('scope', 'new')])
    })

    it('can be taken back one by one', async () => {
      await put([reply('a', '1'), reply('b', '1')])
      await store.database.write((tx) => forgetReplies(tx, ['a', 'never there']))
      expect(await stored()).toEqual([reply('b', '1')])
    })

    it('are forgotten when they are older than was promised, and no sooner', async () => {
      await put([reply('old', '1')], store.database, epochMs(NOW - 1))
      await put([reply('new', '1')])
      await store.database.write((tx) => pruneReplies(tx, NOW))
      expect(await stored()).toEqual([reply('new', '1')])
    })

    if (store.engine === 'PostgreSQL')
      it('are forgotten by two gateways at once, without waiting for each other', async () => {
        const scopes = Array.from({ length: SLICE + 100 }, (_, index) => `scope-${index}`)
        await put(
          scopes.map((scope) => reply(scope, '1')),
          store.database,
          epochMs(NOW - 1),
        )
        const another = store.another()
        await store.database.write(async (tx) => {
          expect(await pruneReplies(tx, NOW)).toBe(true)
          // Waiting for the rows of the first would end with an error after five seconds.
          expect(await another.write((other) => pruneReplies(other, NOW))).toBe(false)
        })
        expect(await stored()).toEqual([])
      })
  })
}
