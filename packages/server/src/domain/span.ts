const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const SPAN = /^(\d{1,4})([smhdw])$/

/** The milliseconds of `90s`, `30m`, `6h`, `2d` or `2w`; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text) ?? []
  return count && unit && unit in UNITS ? Number(count) * UNITS[unit as keyof typeof UNITS] : undefined
}
