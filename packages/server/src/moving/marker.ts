import type { ReadOnlyDatabase, Tx } from '../platform/database/database.ts'
import { claimSetting, readSetting, removeSetting, replaceSetting } from '../platform/database/settings.ts'
import { MoveRefused, movedAway, readMoved, type SourceFile } from './moved.ts'
import type { Place } from './walk.ts'

/** A setting of a target from before its first row until all of it is compared: nothing but the move uses it until then. */
export interface Marker {
  source: SourceFile
  /** The table under way, and the last row of it that is there. All tables before it are done. */
  table: string | undefined
  place: Place | undefined
  /** How many rows are there. */
  rows: number
}

export async function readMarker(tx: Tx): Promise<Marker | undefined> {
  const text = await readSetting(tx, 'moving')
  return text === undefined ? undefined : (JSON.parse(text) as Marker)
}

export async function claimMarker(tx: Tx, marker: Marker): Promise<void> {
  if (!(await claimSetting(tx, 'moving', JSON.stringify(marker)))) throw otherMove()
}

/** Notes how far the move is. Fails when another process has noted something meanwhile. */
export async function advanceMarker(tx: Tx, from: Marker, to: Marker): Promise<void> {
  const replaced = await replaceSetting(tx, 'moving', { from: JSON.stringify(from), to: JSON.stringify(to) })
  if (!replaced) throw otherMove()
}

export function removeMarker(tx: Tx): Promise<void> {
  return removeSetting(tx, 'moving')
}

function otherMove(): MoveRefused {
  return new MoveRefused('another process moves into this database: let it finish')
}

/** Throws when a move into this database has not finished, or everything in it was moved elsewhere. */
export async function refuseMoved(database: ReadOnlyDatabase): Promise<void> {
  const trouble = await troubleOfMove(database)
  if (trouble !== undefined) throw new MoveRefused(trouble)
}

/** Why a move keeps this database from being used; undefined when none does. */
export async function troubleOfMove(database: ReadOnlyDatabase): Promise<string | undefined> {
  const marker = await database.read(readMarker)
  if (marker) return halfMoved(marker)
  const moved = await database.read(readMoved)
  return moved && movedAway(moved)
}

function halfMoved({ source }: Marker): string {
  return (
    `the move of ${source.path} into this database has not finished: run the same wigwag move again, ` +
    `or use file:${source.path}`
  )
}
