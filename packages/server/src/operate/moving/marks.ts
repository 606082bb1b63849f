import type { ReadOnlyDatabase, Tx } from '../../store/database.ts'
import {
  claimSetting,
  readSetting,
  removeSetting,
  replaceSetting,
  writeSetting,
} from '../../store/settings.ts'
import type { Place } from './walk.ts'

/** Identifies the source of a move that continues: every change of a stopped gateway's file changes these. */
export interface SourceFile {
  path: string
  bytes: number
  modifiedAt: number
}

/** The move can't begin or go on. The message says why and what to do. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/**
 * A setting of a file from which everything was moved. A gateway on it would send and charge what waited a second time.
 */
export interface MovedMark {
  /** Where to: an address without user, password and options. */
  to: string
  /** The file as it was before it got the mark, by which a move that goes on knows it. */
  file: SourceFile
}

export async function readMoved(tx: Tx): Promise<MovedMark | undefined> {
  const text = await readSetting(tx, 'moved')
  return text === undefined ? undefined : (JSON.parse(text) as MovedMark)
}

export function leaveMoved(tx: Tx, mark: MovedMark): Promise<void> {
  return writeSetting(tx, 'moved', JSON.stringify(mark))
}

export function movedAway({ to }: MovedMark): string {
  return (
    `everything in this file was moved to ${to}: set WIGWAG_DATABASE_URL to that database. A gateway on the file would ` +
    'send and charge again what waited. To go back to it all the same, stop the gateways on the other database and run ' +
    'wigwag move --undo with this file as --from'
  )
}

/**
 * The address of a database without what may be secret. Works on the text: `URL` can't parse the address of a socket, such
 * as `postgres://user@/name?host=/run/postgresql`, which PostgreSQL's client takes.
 */
export function placeOfUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/.*@/s, '//')
}

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
