import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, type Tx } from '../../../src/store/database.ts'
import { readSetting, writeSetting } from '../../../src/store/settings.ts'
import { makePlace, open, type Store } from '../../support/engine.ts'

export function scopes(store: Store): void {
  const version = () => store.database.read((tx) => readSetting(tx, 'rates_version'))
  const set = (tx: Tx, value: string) => writeSetting(tx, 'rates_version', value)

  describe('a write', () => {
    it('takes everything back when its work throws after an await', async () => {
      const failing = store.database.write(async (tx) => {
        await set(tx, 'gone')
        await turn()
        await tx.run('INSERT INTO settings (name, value) VALUES ($1, $2)', ['demo', 'gone'])
        throw new Error('on purpose')
      })
      await expect(failing).rejects.toThrow('on purpose')
      expect(await version()).toBeUndefined()
      expect(await store.database.read((tx) => readSetting(tx, 'demo'))).toBeUndefined()
    })

    it('takes everything back when one of its statements fails', async () => {
      const failing = store.database.write(async (tx) => {
        await set(tx, 'gone')
        await tx.run('INSERT INTO settings (name, value) VALUES ($1, $2)', ['rates_version', 'twice'])
      })
      await expect(failing).rejects.toThrow(/unique|duplicate/i)
      expect(await version()).toBeUndefined()
    })

    it('mixes with none of 49 others that run at the same time', async () => {
      await store.database.write((tx) => set(tx, '0'))
      const increment = async ({ run, locks }: Tx) => {
        const [row] = await run<{ value: string }>(
          `SELECT value FROM settings WHERE name = $1 ${locks.forUpdate}`,
          ['rates_version'],
        )
        await turn()
        await run('UPDATE settings SET value = $1 WHERE name = $2', [
          String(Number(row?.value) + 1),
          'rates_version',
        ])
      }
      const handles = [store.database, store.another()]
      await Promise.all(Array.from({ length: 50 }, (_, index) => handles[index % 2]?.write(increment)))
      expect(await version()).toBe('50')
    })

    it('that fails harms none of its neighbours, and leaves no trace among them', async () => {
      const writes = Array.from({ length: 20 }, (_, index) =>
        store.database.write(async (tx) => {
          await tx.run('INSERT INTO settings (name, value) VALUES ($1, $2)', [`n-${index}`, ''])
          await turn()
          if (index % 3 === 0) throw new Error('on purpose')
        }),
      )
      const ended = await Promise.allSettled(writes)
      const kept = ended.flatMap(({ status }, index) => (status === 'fulfilled' ? [`n-${index}`] : []))
      expect(kept).toHaveLength(13)
      const rows = await store.database.read(({ run }) =>
        run<{ name: string }>('SELECT name FROM settings', []),
      )
      expect(rows.map(({ name }) => name).sort()).toEqual(kept.sort())
    })

    it('that is patient is done by itself when nothing else comes, and before the store closes', async () => {
      await store.database.write((tx) => set(tx, 'patient'), { patient: true })
      expect(await version()).toBe('patient')
      if (store.engine === 'SQLite in memory') return
      const closing = open(store.url)
      const last = closing.write((tx) => set(tx, 'last'), { patient: true })
      await Promise.all([closing.close(), last])
      expect(await version()).toBe('last')
    })

    it('leaves a store behind that works, however it ended', async () => {
      await expect(store.database.write(() => Promise.reject(new Error('on purpose')))).rejects.toThrow()
      await store.database.write((tx) => set(tx, 'after'))
      expect(await version()).toBe('after')
    })
  })

  describe('a read', () => {
    it('never sees what is not committed', async () => {
      const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const writing = store.database.write(async (tx) => {
        await set(tx, 'committed')
        begin()
        await gate
      })
      await begun
      const early = version()
      if (store.engine === 'SQLite in memory') openGate()
      else {
        // A read that waited for the writer would never come back: the gate is opened only afterwards.
        expect(await early).toBeUndefined()
        openGate()
      }
      await writing
      expect(await version()).toBe('committed')
    })

    it('sees what was committed before it, statement by statement', async () => {
      await store.database.write((tx) => set(tx, 'one'))
      expect(await version()).toBe('one')
      await store.another().write((tx) => set(tx, 'two'))
      expect(await version()).toBe('two')
    })

    it('cannot change anything', async () => {
      if (store.engine !== 'an SQLite file') return
      await expect(store.database.read((tx) => set(tx, 'sneaked'))).rejects.toThrow(/readonly/)
    })
  })

  describe('a scope inside another', () => {
    const kinds = ['read', 'write'] as const
    for (const outer of kinds) {
      for (const inner of kinds) {
        it(`is refused instead of waiting for ever: a ${inner} in a ${outer}`, async () => {
          const nested = store.database[outer](async () => store.database[inner](async () => 'reached'))
          await expect(nested).rejects.toThrow('nested database scope')
          expect(await version()).toBeUndefined()
        })
      }
    }
  })

  describe('a store that is closed', () => {
    it('is unavailable, for reads and for writes', async () => {
      const place = await makePlace(store.engine)
      const database = open(place.url)
      await database.close()
      const work = (tx: Tx) => readSetting(tx, 'demo')
      await expect(database.read(work)).rejects.toThrow(StoreUnavailable)
      await expect(database.write(work)).rejects.toThrow(StoreUnavailable)
      await place.remove()
    })
  })
}
