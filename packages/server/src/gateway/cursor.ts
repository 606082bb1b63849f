import type { Position } from '../store/search.ts'
import { invalidFields } from './prepare.ts'

/** A page of results, and where the next one starts. */
export interface Page<T> {
  items: T[]
  next: string | undefined
}

/** What a caller asked of a listing. */
export interface PageRequest {
  cursor: string | undefined
  limit: number
}

/** Turns one row more than a page holds into the page and its cursor. */
export function pageOf<T>(rows: T[], limit: number, positionOf: (row: T) => Position): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? encode(positionOf(last)) : undefined }
}

function encode({ at, id }: Position): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Where a cursor points; a problem when it is none of ours. */
export function decode(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [, at, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw invalidFields([
    { pointer: '/Cursor', code: 'invalid_value', detail: 'Expected the NextCursor of the page before.' },
  ])
}
