import { type EpochMs, epochMs } from './ids.ts'

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

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const SPAN = /^(\d{1,4})([smhdw])$/

/** The milliseconds of `90s`, `30m`, `6h`, `2d` or `2w`; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text) ?? []
  return count && unit && unit in UNITS ? Number(count) * UNITS[unit as keyof typeof UNITS] : undefined
}
