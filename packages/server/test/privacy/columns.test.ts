import { getTableName, type Table } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { BLANK } from '../../src/messages/forget.ts'
import { CLASSES, type TableClass } from '../../src/operate/privacy/columns.ts'
import { columnName } from '../../src/store/rows.ts'
import { type Tables, tables } from '../../src/store/schema/schema.ts'
import { useStore } from '../support/engine.ts'

const COLUMNS = {
  sqlite: `SELECT m.name AS "table", c.name AS "column", c.pk AS place FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
  postgres: `SELECT c.table_name AS "table", c.column_name AS "column",
      coalesce((SELECT k.ordinal_position FROM information_schema.table_constraints t
        JOIN information_schema.key_column_usage k ON k.constraint_name = t.constraint_name
        WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_name = c.table_name AND k.column_name = c.column_name), 0) AS place
    FROM information_schema.columns c WHERE c.table_schema = current_schema()`,
}

interface Column {
  table: string
  column: string
  place: number
}

/** The classified tables, by their names in SQL. */
const classified = new Map(
  Object.entries(CLASSES).map(([name, one]: [string, TableClass]) => {
    const table: Table = tables[name as keyof Tables]
    return [getTableName(table), one] as const
  }),
)

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('the columns of %s', (engine) => {
  const store = useStore(engine)

  it('all have a kind, which says what is erased; add a new one to privacy/columns.ts', async () => {
    const { database } = store
    const found = await database.read(({ run }) => run<Column>(COLUMNS[database.engine], []))
    const byTable = Map.groupBy(
      found.filter(({ table }) => table !== 'migrations'),
      ({ table }) => table,
    )
    const there = [...byTable].map(([table, columns]) => [table, columns.map(({ column }) => column).sort()])
    const known = [...classified].map(([table, { columns }]) => [
      table,
      Object.keys(columns).map(columnName).sort(),
    ])
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(there))
    const keys = [...byTable].map(([table, columns]) => [
      table,
      columns
        .filter(({ place }) => Number(place) > 0)
        .sort((a, b) => Number(a.place) - Number(b.place))
        .map(({ column }) => column),
    ])
    expect(
      Object.fromEntries([...classified].map(([table, { key }]) => [table, key.map(columnName)])),
    ).toEqual(Object.fromEntries(keys))
  })
})

it('of a message that tell of a person are all left blank when its number is erased', () => {
  const ofPersons = Object.entries(CLASSES.messages.columns).flatMap(([name, kind]) =>
    kind === 'person' ? [name] : [],
  )
  expect(Object.keys(BLANK).sort()).toEqual(ofPersons.sort())
})
