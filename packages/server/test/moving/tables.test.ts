import { describe, expect, it, onTestFinished } from 'vitest'
import { tableNames, tablesOf } from '../../src/operate/moving/walk.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { makePlace } from '../support/engine.ts'
import { opened } from './moved.ts'

async function schemaOn(engine: 'an SQLite file' | 'PostgreSQL') {
  const place = await makePlace(engine)
  const database = opened(place.url)
  onTestFinished(place.remove)
  await migrate(database)
  return database
}

describe('what a move knows', () => {
  it.each([
    ['an SQLite file', "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"],
    ['PostgreSQL', "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"],
  ] as const)(
    'is every table on %s, except the one that only lists the steps of the schema',
    async (engine, text) => {
      const database = await schemaOn(engine)
      const rows = await database.read(({ run }) => run<{ name: string }>(text, []))
      const names = rows.map(({ name }) => name).filter((name) => name !== 'migrations')
      expect(tableNames().sort()).toEqual(names.sort())
    },
  )

  it('is every column with its type, on both engines alike, and a key of each table', async () => {
    const tables = await tablesOf(await schemaOn('an SQLite file'))
    const postgres = await schemaOn('PostgreSQL')
    const columns = await postgres.read(({ run }) =>
      run<{ name: string }>(
        `SELECT table_name || '.' || column_name || ' ' || upper(data_type) AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name <> 'migrations'`,
        [],
      ),
    )
    const known = tables.flatMap(({ name, columns: own }) =>
      own.map((each) => `${name}.${each.name} ${each.type}`),
    )
    expect(known.sort()).toEqual(columns.map(({ name }) => name).sort())
    expect(tables.filter(({ key }) => key.length === 0)).toEqual([])
  })

  it('is all there is to copy: no table counts by itself, so there is no counter to set', async () => {
    const postgres = await schemaOn('PostgreSQL')
    const counters = await postgres.read(({ run }) => run('SELECT sequencename FROM pg_sequences', []))
    expect(counters).toEqual([])
  })
})
