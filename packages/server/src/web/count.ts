const grouped = new Intl.NumberFormat('en-GB')

/** `15,583` */
export function countOf(count: number): string {
  return grouped.format(count)
}

/** A share with one decimal, `97.3 %`; a dash where there is nothing to have a share of. */
export function percentOf(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

/** `1 message`, `2 messages` */
export function several(count: number, one: string, many = `${one}s`): string {
  return `${countOf(count)} ${count === 1 ? one : many}`
}

/** `10,000+` where counting stopped. */
export function upTo(count: number): string {
  return count >= MOST_COUNTED ? `${countOf(MOST_COUNTED)}+` : countOf(count)
}

/** Counting stops here, so that a glance costs the same with a million messages. */
export const MOST_COUNTED = 10_000
