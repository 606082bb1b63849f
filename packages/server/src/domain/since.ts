import { type EpochMs, epochMs } from './ids.ts'
import { readSpan } from './span.ts'

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
