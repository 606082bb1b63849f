import type { Tx } from '../platform/database/database.ts'
import { readSetting, writeSetting } from '../platform/database/settings.ts'

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
