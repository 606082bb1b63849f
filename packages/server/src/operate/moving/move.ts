import { realpathSync, statSync } from 'node:fs'
import type { Database, ReadOnlyDatabase } from '../../store/database.ts'
import { migrate, migrationState } from '../../store/schema/migrate.ts'
import { notOurs } from '../../store/schema/steps.ts'
import { removeSetting, type SettingName } from '../../store/settings.ts'
import { FileInUse, type LockedFile, openSqliteAlone } from '../../store/sqlite/sqlite.ts'
import { type Comparison, compareSides, type ToCompare } from './compare.ts'
import {
  advanceMarker,
  claimMarker,
  leaveMoved,
  type Marker,
  type MovedMark,
  MoveRefused,
  movedAway,
  placeOfUrl,
  readMarker,
  readMoved,
  removeMarker,
  type SourceFile,
} from './marks.ts'
import {
  countRows,
  insertSlice,
  type MovedTable,
  placeOf,
  type Row,
  slicesOf,
  tableNames,
  tablesOf,
} from './walk.ts'

/** Starts to show how many rows have been copied, or have been compared. */
export type StartProgress = (
  total: number,
  what: 'rows copied' | 'rows compared',
) => Progress | Promise<Progress>

interface Progress {
  update(rows: number): void
  stop(): void
}

/**
 * Copies everything from a stopped gateway's file into an empty PostgreSQL database and compares both sides. A move
 * that was interrupted continues where it stopped. Until both sides are the same no gateway starts on the target, and
 * from then on none starts on the file.
 */
export async function move({
  source,
  target,
  to,
  startProgress,
}: {
  source: Source
  target: Database
  /** The target's address. */
  to: string
  startProgress: StartProgress
}): Promise<Comparison> {
  const marker = await prepareTarget(target, source)
  const tables = await tablesOf(source.database)
  const sides = { source: source.database, target, tables }
  const total = await countAll(sides)
  // A file with the mark was copied and compared before.
  if (!source.moved) {
    const copying = await startProgress(total, 'rows copied')
    await copyRows({ ...sides, marker, onRows: copying.update }).finally(copying.stop)
  }
  await gatherStatistics(target, tables)
  const comparing = await startProgress(total, 'rows compared')
  const comparison = await compareSides({
    ...sides,
    tables: tables.map(withoutMove),
    onRows: comparing.update,
  }).finally(comparing.stop)
  if (comparison.same) {
    // In this order, so that at no time gateways start on both.
    await source.database.change((tx) => leaveMoved(tx, { to: placeOfUrl(to), file: source.file }))
    await target.write(removeMarker)
  }
  return comparison
}

/** Prepares an empty target, or finds how far an interrupted move of the same source has come. */
async function prepareTarget(target: Database, { file, moved }: Omit<Source, 'database'>): Promise<Marker> {
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

/** Copies what is not there yet. Each slice and the note of how far that is are one transaction. */
async function copyRows({
  source,
  target,
  tables,
  marker,
  onRows,
}: {
  source: ReadOnlyDatabase
  target: Database
  tables: readonly MovedTable[]
  /** Where to begin. */
  marker: Marker
  /** Called with how many rows are there. */
  onRows(rows: number): void
}): Promise<void> {
  let standing = marker
  const first = Math.max(
    0,
    tables.findIndex(({ name }) => name === marker.table),
  )
  for (const table of tables.slice(first)) {
    const place = table.name === marker.table ? marker.place : undefined
    for await (const rows of slicesOf(source, table, place)) {
      const before = standing
      const after = noted(before, table, rows)
      await target.write(async (tx) => {
        await insertSlice(tx, table, rows)
        await advanceMarker(tx, before, after)
      })
      standing = after
      onRows(after.rows)
    }
  }
}

function noted(before: Marker, { name, key }: MovedTable, rows: readonly Row[]): Marker {
  const last = rows.at(-1)
  return { ...before, table: name, place: last && placeOf(last, key), rows: before.rows + rows.length }
}

const OF_THE_MOVE = new Set<unknown>(['moving', 'moved'] satisfies SettingName[])

/** The settings of the move itself are on one side. */
function withoutMove(table: MovedTable): ToCompare {
  if (table.name !== 'settings') return table
  const isMoved = (row: Row) => !OF_THE_MOVE.has(row.name)
  return { ...table, isMoved, moved: (row) => (isMoved(row) ? row : undefined) }
}

async function countAll({ source, tables }: { source: Source['database']; tables: readonly MovedTable[] }) {
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  return total
}

/** Without them PostgreSQL would plan the first searches as if the tables were empty. */
async function gatherStatistics(target: Database, tables: readonly MovedTable[]): Promise<void> {
  for (const { name } of tables) await target.write(({ run }) => run(`ANALYZE ${name}`, []))
}

export interface Source {
  database: LockedFile
  file: SourceFile
  /** Set when everything in it was moved already. */
  moved: MovedMark | undefined
}

/** Opens the file of a stopped gateway, and keeps gateways away from it until it is closed. */
export async function openSource(path: string): Promise<Source> {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new MoveRefused(
      `${path} has changes that are only in ${path}-wal: a gateway runs on it, or was killed. Stop it; ` +
        `if none runs, wigwag migrate --database file:${path} completes the file`,
    )
  }
  const database = openAlone(path)
  try {
    await refuseOtherSchema(database, path)
    const { size, mtimeMs } = statSync(path)
    const moved = await database.read(readMoved)
    const file = moved?.file ?? { path: realpathSync(path), bytes: size, modifiedAt: mtimeMs }
    return { database, file, moved }
  } catch (error) {
    await database.close()
    throw error
  }
}

function openAlone(path: string): LockedFile {
  try {
    return openSqliteAlone(path)
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error
    throw new MoveRefused(`a gateway or another program has ${path} open: stop it first`, { cause: error })
  }
}

/** Refuses the schema of another version: additions of a newer version would not be moved. */
async function refuseOtherSchema(database: ReadOnlyDatabase, path: string): Promise<void> {
  const { pending, waiting, beside, unknown } = await migrationState(database)
  const foreign = [...unknown, ...beside]
  if (foreign.length > 0) throw new MoveRefused(`${path}: ${notOurs(foreign)}`)
  if (pending.length + waiting.length > 0) {
    throw new MoveRefused(
      `${path} has an older schema than this version: run wigwag migrate --database file:${path} first`,
    )
  }
}

/** Lets gateways start on a file again from which everything was moved. Returns where it was moved to. */
export async function takeBack({ database, file, moved }: Source): Promise<string> {
  if (!moved) throw new MoveRefused(`nothing was moved from ${file.path}: gateways start on it as ever`)
  await database.change((tx) => removeSetting(tx, 'moved'))
  return moved.to
}
