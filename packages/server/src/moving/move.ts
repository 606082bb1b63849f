import type { Database } from '../platform/database/database.ts'
import type { SettingName } from '../platform/database/settings.ts'
import { type Comparison, compareSides, type ToCompare } from './compare.ts'
import { copyRows } from './copy.ts'
import { removeMarker } from './marker.ts'
import { leaveMoved, placeOfUrl } from './moved.ts'
import type { Source } from './source.ts'
import { prepareTarget } from './target.ts'
import { countRows, type MovedTable, type Row, tablesOf } from './walk.ts'

export interface MoveOptions {
  source: Source
  target: Database
  /** The target's address. */
  to: string
  /** Shows how many rows have been copied, then how many have been compared. */
  startProgress(total: number, what: 'rows copied' | 'rows compared'): Progress | Promise<Progress>
}

export interface Progress {
  update(rows: number): void
  stop(): void
}

/**
 * Copies everything from a stopped gateway's file into an empty PostgreSQL database and compares both sides. A move
 * that was interrupted continues where it stopped. Until both sides are the same no gateway starts on the target, and from then on
 * none starts on the file.
 */
export async function move({ source, target, to, startProgress }: MoveOptions): Promise<Comparison> {
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
