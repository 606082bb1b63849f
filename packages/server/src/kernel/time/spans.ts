import { type EpochMs, epochMs } from '../ids.ts'

/** Spans of time, in milliseconds. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The day of a time in UTC, numbered from 1970-01-01. */
export function utcDay(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** The pause after so many failures in a row: `first`, then twice as long each time, up to `most`. */
export function backoff(failures: number, first: number, most = Number.POSITIVE_INFINITY): number {
  return Math.min(first * 2 ** (failures - 1), most)
}

/** How long what is finished is kept, in milliseconds; undefined for ever. */
export interface Retention {
  messagesMs: number | undefined
  callbacksMs: number | undefined
  auditMs: number | undefined
}

/** How long something has taken, in whole seconds and larger units: `18 s`, `2 min 5 s`, `3 h 10 min`, `2 days 4 h`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`
}

/** A point in time that may be told from now. */
export type Since = (now: EpochMs) => EpochMs

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z?)?$/

/** Reads `30m`, `6h`, `2d`, `2w`, a day such as `2026-11-20` or a time in UTC; undefined for anything else. */
export function readSince(text: string): Since | undefined {
  const ms = readSpan(text)
  if (ms !== undefined) return (now) => epochMs(Math.max(0, now - ms))
  if (!INSTANT.test(text)) return undefined
  const at = Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text)
  // A day that does not exist, such as February 30, moves to another one on some engines.
  if (!(at >= 0 && new Date(at).toISOString().startsWith(text.slice(0, 10)))) return undefined
  return () => epochMs(at)
}

/** The same for the end of a period: a day is meant to its end. */
export function readUntil(text: string): Since | undefined {
  const read = readSince(text)
  return read && ((now) => epochMs(read(now) + (DAY.test(text) ? DAY_MS : 0)))
}

const DAY = /^\d{4}-\d\d-\d\d$/
const UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }
const SPAN = /^(\d{1,4})([smhdw])$/

/** The milliseconds of `90s`, `30m`, `6h`, `2d` or `2w`; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text) ?? []
  return count && unit && unit in UNITS ? Number(count) * UNITS[unit as keyof typeof UNITS] : undefined
}
