import { readdirSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/store/database.ts'
import { migrate, requireSchema } from '../../../src/store/schema/migrate.ts'
import { type EngineName, makeEmptyPlace, open, type Place } from '../../support/engine.ts'
import { madeUpSteps } from '../../support/made-up-steps.ts'

const STEPS = readdirSync(new URL('../../../migrations', import.meta.url)).sort()

export function migrations(engine: EngineName): void {
  describe('the migrations', () => {
    let place: Place | undefined
    const opened: Database[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((database) => database.close()))
      await place?.remove()
    })

    async function empty(): Promise<() => Database> {
      place = await makeEmptyPlace(engine)
      const { url } = place
      return () => {
        const database = open(url)
        opened.push(database)
        return database
      }
    }

    it('are taken once, and leave nothing to do', async () => {
      const database = (await empty())()
      expect((await migrate(database)).taken).toEqual(STEPS)
      expect((await migrate(database)).taken).toEqual([])
    })

    it('are refused by a program that is older than the database', async () => {
      const database = (await empty())()
      await migrate(database)
      await database.write(({ run }) =>
        run('INSERT INTO migrations (name) VALUES ($1)', ['9999_from_the_future.sql']),
      )
      await expect(migrate(database)).rejects.toThrow(/newer version.*9999_from_the_future\.sql/)
    })

    it.each(['0001_init.sql', '0001_tables.sql'])(
      'of before the first release (%s) are refused, and nothing is changed',
      async (first) => {
        const database = (await empty())()
        await database.write(async ({ run }) => {
          await run('CREATE TABLE migrations (name TEXT PRIMARY KEY)', [])
          await run("INSERT INTO migrations (name) VALUES ($1), ('0002_sign_in.sql')", [first])
        })
        const refused =
          'the database was made before the first release, and no released version reads it: start with a new one'
        await expect(migrate(database)).rejects.toThrow(refused)
        await expect(requireSchema(database)).rejects.toThrow(refused)
        await expect(database.read(({ run }) => run('SELECT * FROM accounts', []))).rejects.toThrow(
          /accounts/,
        )
      },
    )

    it('that a version adds are taken in their order, and the rows stay', async () => {
      const database = (await empty())()
      const steps = await madeUpSteps({
        '0001_a.sql': 'CREATE TABLE a (n BIGINT); INSERT INTO a (n) VALUES (1)',
      })
      expect((await migrate(database, steps)).taken).toEqual(['0001_a.sql'])
      await steps.add({
        '0003_c.sql': 'INSERT INTO a (n, m) VALUES (2, 3);',
        '0002_b.sql':
          '-- Rows have m; those of before are given 0.\nALTER TABLE a ADD COLUMN m BIGINT DEFAULT 0;',
      })
      expect((await migrate(database, steps)).taken).toEqual(['0002_b.sql', '0003_c.sql'])
      const rows = await database.read(({ run }) => run('SELECT n, m FROM a ORDER BY n', []))
      expect(rows).toEqual([
        { n: 1, m: 0 },
        { n: 2, m: 3 },
      ])
    })

    it('leave nothing of one that fails, and go on from there when it is mended', async () => {
      const database = (await empty())()
      const steps = await madeUpSteps({
        '0001_a.sql': 'CREATE TABLE a (n BIGINT)',
        '0002_b.sql': 'CREATE TABLE b (n BIGINT); ALTER TABLE c',
      })
      await expect(migrate(database, steps)).rejects.toThrow()
      await expect(database.read(({ run }) => run('SELECT n FROM b', []))).rejects.toThrow()
      await steps.add({ '0002_b.sql': 'CREATE TABLE b (n BIGINT); ALTER TABLE a ADD COLUMN m BIGINT' })
      expect((await migrate(database, steps)).taken).toEqual(['0002_b.sql'])
      expect(await database.read(({ run }) => run('SELECT m, b.n FROM a, b', []))).toEqual([])
    })

    if (engine === 'SQLite in memory') return

    it('are taken by one of five handles that start at once', async () => {
      const handle = await empty()
      const taken = await Promise.all(Array.from({ length: 5 }, () => migrate(handle())))
      expect(taken.flatMap((each) => each.taken).sort()).toEqual(STEPS)
    })
  })
}
