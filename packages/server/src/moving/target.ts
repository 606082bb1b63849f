import type { Database } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { claimMarker, type Marker, readMarker } from './marker.ts'
import type { SourceFile } from './moved.ts'
import { MoveRefused, movedAway } from './moved.ts'
import type { Source } from './source.ts'
import { tableNames } from './walk.ts'

/** Prepares an empty target, or finds how far an interrupted move of the same source has come. */
export async function prepareTarget(
  target: Database,
  { file, moved }: Omit<Source, 'database'>,
): Promise<Marker> {
  const tables = await tablesThere(target)
  const begun = tables.includes('settings') ? await target.read(readMarker) : undefined
  if (begun) return resumed(begun, file)
  if (moved) throw new MoveRefused(movedAway(moved))
  const full = await tablesWithRows(target, tables)
  if (full.length > 0) {
    throw new MoveRefused(
      `expected an empty database to move into, but this one has rows in ${full.join(', ')}: make a new database`,
    )
  }
  await migrate(target)
  const marker: Marker = { source: file, table: undefined, place: undefined, rows: 0 }
  await target.write((tx) => claimMarker(tx, marker))
  return marker
}

function resumed(marker: Marker, source: SourceFile): Marker {
  const { path, bytes, modifiedAt } = marker.source
  if (bytes === source.bytes && modifiedAt === source.modifiedAt) return marker
  throw new MoveRefused(
    path === source.path
      ? `${path} has changed since the move into this database began: make a new database and move again`
      : `this database holds a part of ${path}: finish that move, or make a new database`,
  )
}

/** Which of our tables are there. An empty database has none yet. */
async function tablesThere(target: Database): Promise<string[]> {
  const rows = await target.read(({ run }) =>
    run<{ name: string }>(
      'SELECT name FROM json_array_elements_text($1) AS name WHERE to_regclass(name) IS NOT NULL',
      [JSON.stringify(tableNames())],
    ),
  )
  return rows.map(({ name }) => name)
}

async function tablesWithRows(target: Database, tables: readonly string[]): Promise<string[]> {
  const full: string[] = []
  for (const table of tables) {
    const rows = await target.read(({ run }) => run(`SELECT 1 AS one FROM ${table} LIMIT 1`, []))
    if (rows.length > 0) full.push(table)
  }
  return full
}
