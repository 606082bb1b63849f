/** One line of the report. */
export interface Row {
  what: string
  figure: string
  goal: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
