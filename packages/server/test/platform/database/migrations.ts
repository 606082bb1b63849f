import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { type EngineName, makeEmptyPlace, open, type Place } from '../../support/engine.ts'

const FILES = readdirSync(new URL('../../../migrations', import.meta.url)).sort()
const PROGRAM = fileURLToPath(new URL('./migrate.process.ts', import.meta.url))
const run = promisify(execFile)

export function migrations(engine: EngineName): void {
  const other = engine === 'PostgreSQL' ? '.sqlite.sql' : '.postgres.sql'
  const steps = FILES.filter((name) => !name.endsWith(other))

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
      expect(await migrate(database)).toEqual(steps)
      expect(await migrate(database)).toEqual([])
    })

    it('are refused by a program that is older than the database', async () => {
      const database = (await empty())()
      await migrate(database)
      await database.write(({ run }) =>
        run('INSERT INTO migrations (name) VALUES ($1)', ['9999_from_the_future.sql']),
      )
      await expect(migrate(database)).rejects.toThrow(/newer version.*9999_from_the_future\.sql/)
    })

    if (engine === 'SQLite in memory') return

    it('are taken by one of five handles that start at once', async () => {
      const handle = await empty()
      const taken = await Promise.all(Array.from({ length: 5 }, () => migrate(handle())))
      expect(taken.flat()).toEqual(steps)
    })

    it('are taken by one of four processes that start at once', { timeout: 120_000 }, async () => {
      await empty()
      const url = place?.url ?? ''
      const outputs = await Promise.all(
        Array.from({ length: 4 }, () => run(process.execPath, [PROGRAM, url])),
      )
      expect(outputs.flatMap(({ stdout }) => JSON.parse(stdout))).toEqual(steps)
    })
  })
}
