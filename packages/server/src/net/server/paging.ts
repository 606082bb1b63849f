import { invalidFields, type Problem } from '../../kernel/errors.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'

/** Where a page ended. */
export interface Position {
  at: number
  id: string
}

/** A page of results, and where the next one starts. */
export interface Page<T> {
  items: T[]
  next: string | undefined
}

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

/** The cursor of a position. */
export function encode({ at, id }: Position): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Where a cursor points. Throws the problem of a cursor that this gateway did not make. */
export function decode(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [, at, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw wrongCursor()
}

/** The problem of a cursor that was not made for this listing. */
export function wrongCursor(): Problem {
  return invalidFields([
    { pointer: '/Cursor', code: 'invalid_value', detail: 'Expected the NextCursor of the page before.' },
  ])
}

/** Parses a time already validated as ISO 8601 with `Z` or an offset. */
export function timeOf(text: string): EpochMs
export function timeOf(text: string | undefined): EpochMs | undefined
export function timeOf(text: string | undefined): EpochMs | undefined {
  // No stored data is older than 1970.
  return text === undefined ? undefined : epochMs(Math.max(0, Date.parse(text)))
}

const DEFAULT_PAGE = 50

/** A page request from query parameters, with the default page size. */
export function pageRequest({
  Cursor,
  Limit = DEFAULT_PAGE,
}: {
  Cursor?: string
  Limit?: number
}): PageRequest {
  return { cursor: Cursor, limit: Limit }
}

/** The `NextCursor` field of a response. Left out on the last page. */
export function nextCursor(next: string | undefined): { NextCursor?: string } {
  return next === undefined ? {} : { NextCursor: next }
}

/** ISO 8601 in UTC, with milliseconds and a trailing Z. */
export function instant(at: number): string {
  return new Date(at).toISOString()
}
