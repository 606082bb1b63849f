import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { brokenEntries, unevenWallets } from '../../../src/money/ledger-check.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { checkStandings } from '../../support/books.ts'
import { type EngineName, makeEmptyPlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { BALANCE, call, openFront, SINGLE } from '../../support/front.ts'
import { fillEarlier } from './earlier.ts'
import { makeSchema, type Schema, schemasOf } from './schemas.ts'
import { makeSource, type Row, SECRET, type Source } from './source.ts'

/** What must be there as it was. Of these rows, columns that a schema did not have yet are left out. */
const KEPT = [
  ...['accounts', 'clients', 'wallets', 'ledger', 'sender_ids', 'messages', 'hourly_totals', 'outbox'],
  ...['late_receipts', 'callbacks', 'callback_attempts', 'idempotency', 'connections', 'delegated_tokens'],
]

const ENGINES = ['an SQLite file', 'PostgreSQL'] as const
const SOME = { 'an SQLite file': ['0001', '0004', '0005', '0011'], PostgreSQL: ['0009'] }
const CASES = ENGINES.flatMap((engine) =>
  schemasOf(engine)
    .filter(({ number }) => atLength({ short: SOME[engine].includes(number), full: true }))
    .map((schema): [string, EngineName, Schema] => [schema.number, engine, schema]),
)

let source: Source
beforeAll(async () => {
  source = await makeSource()
}, 60_000)

describe('a database with data, of an earlier schema', () => {
  it.each(CASES)(
    'is brought up to date from %s on %s, and used',
    { timeout: 60_000 },
    async (number, engine, schema) => {
      const place = await makeEmptyPlace(engine)
      onTestFinished(place.remove)
      await makeSchema(place.url, schema, (run) => fillEarlier(place.url, run, schema, source.rows))
      const database = open(place.url)
      const had = await tablesOf(database)
      await migrate(database)
      const lost = await lostRows(database, had)
      await checkStandings(database)
      const uneven = await database.read((tx) => unevenWallets(tx, 9))
      const broken = await database.read((tx) => brokenEntries(tx, 9))
      await database.close()

      const front = await openFront(place.url, { secret: SECRET })
      onTestFinished(front.close)
      const { status } = await call(front.url, source.account, { path: BALANCE })
      const { body, key, text } = source.repeatable
      const again = await call(front.url, source.account, { path: SINGLE, body, key })
      await eventually(
        'messages that waited are final',
        async () => (await pending(front.gateway.database)) === 0,
      )
      await checkStandings(front.gateway.database)
      checkFigures(`from schema ${number}, on ${engine}`, {
        'rows compared': lost.compared,
        'rows lost or changed': [lost.changed.length, { is: 0 }],
        'wallets and ledger entries that do not add up': [uneven.length + broken.length, { is: 0 }],
        'secrets that no longer sign in': [status === 200 ? 0 : 1, { is: 0 }],
        'repeats of an earlier key with another answer': [again.text === text ? 0 : 1, { is: 0 }],
        'messages that wait for ever': [await pending(front.gateway.database), { is: 0 }],
      })
    },
  )
})

async function tablesOf({ read, engine }: Database): Promise<Set<string>> {
  const names =
    engine === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'"
  const rows = await read(({ run }) => run<{ name: string }>(names, []))
  return new Set(rows.map(({ name }) => name))
}

/** How many rows were compared with those of the source, and which are not there as they were. */
async function lostRows(
  database: Database,
  had: ReadonlySet<string>,
): Promise<{ compared: number; changed: string[] }> {
  let compared = 0
  const changed: string[] = []
  for (const table of KEPT.filter((name) => had.has(name))) {
    const now = await database.read(({ run }) => run<Row>(`SELECT * FROM ${table}`, []))
    const texts = new Set(now.map((row) => textOf(table, row)))
    const before = source.rows.get(table) ?? []
    compared += before.length
    expect(now.length, `rows of ${table}`).toBe(before.length)
    changed.push(...before.map((row) => textOf(table, row)).filter((text) => !texts.has(text)))
  }
  expect(changed).toEqual([])
  return { compared, changed }
}

/** Columns that an earlier schema can't know: what comes into them is the migration's business. */
const LATER: Record<string, readonly string[]> = { outbox: ['lane', 'faults'], connections: ['unasked'] }

function textOf(table: string, row: Row): string {
  const known = Object.entries(row).filter(([column]) => !LATER[table]?.includes(column))
  return `${table} ${JSON.stringify(known.sort())}`
}

async function pending({ read }: Database): Promise<number> {
  const [row] = await read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status = 'pending'", []),
  )
  return row?.n ?? 0
}
