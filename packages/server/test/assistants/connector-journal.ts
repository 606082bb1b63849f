import { beforeEach, describe, expect, it } from 'vitest'
import { decideExclusively, pruneJournal } from '../../src/assistants/connector/journal.ts'
import { epochMs } from '../../src/domain/ids.ts'
import type { Store } from '../support/engine.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const HOUR = 3_600_000
const CLIENT = { table: 'clients', id: 'client-w' } as const

export function connectorJournal(store: Store): void {
  const at = (hours: number) => epochMs(NOW + hours * HOUR)

  /** Adds an entry unless there are `most` already. */
  function addUpTo(most: number, database = store.database, now = at(0)): Promise<boolean> {
    return decideExclusively(database, CLIENT, now, (entries) =>
      entries.length < most
        ? { append: [`entry ${entries.length}`], value: true }
        : { append: [], value: false },
    )
  }
  const entries = (now: number) =>
    decideExclusively(store.database, CLIENT, epochMs(now), (found) => ({
      append: [],
      value: [...found],
    }))

  describe('the journal of an assistant', () => {
    beforeEach(async () => {
      await store.database.write(({ run }) => run('DELETE FROM connector_journal', []))
    })

    it('lets no more through than there is room for, from two processes at once', async () => {
      await makeWallets(store.database, { w: 0 })
      const handles = [store.database, store.another()]
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) => addUpTo(10, handles[index % 2])),
      )
      expect(answers.filter(Boolean)).toHaveLength(10)
      expect(await entries(at(0))).toEqual(Array.from({ length: 10 }, (_, index) => `entry ${index}`))
    })

    it('keeps nothing of a decision that fails', async () => {
      const refused = decideExclusively(store.database, CLIENT, at(0), () => {
        throw new Error('over the limit')
      })
      await expect(refused).rejects.toThrow('over the limit')
      expect(await entries(at(0))).toEqual([])
    })

    it('tells of a day and an hour, each client of its own, and forgets what is older still', async () => {
      await addUpTo(9, store.database, at(0))
      await addUpTo(9, store.database, at(20))
      await decideExclusively(store.database, { table: 'connections', id: 'other' }, at(20), () => ({
        append: ['theirs'],
        value: 0,
      }))
      expect(await entries(at(25))).toEqual(['entry 0', 'entry 1'])
      expect(await entries(at(26))).toEqual(['entry 1'])
      await store.database.write((tx) => pruneJournal(tx, at(60)))
      expect(await entries(at(20))).toEqual(['entry 1'])
    })
  })
}
