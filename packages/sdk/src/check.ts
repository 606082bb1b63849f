/** A value in an error: short, quoted if it is text, and without a password that stands in an address. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/\/\/[^/]*@/, '//…@').slice(0, 100)}'`
  return value === null || typeof value !== 'object'
    ? String(value)
    : (value.constructor?.name ?? 'an object')
}

/** The number in an option; undefined if it is left out. Throws a TypeError that names the option and what came. */
export function numberIn(
  name: string,
  value: unknown,
  { least, whole = false }: { least: number; whole?: boolean },
): number | undefined {
  if (value === undefined) return undefined
  const isRight = typeof value === 'number' && value >= least && (!whole || Number.isInteger(value))
  if (isRight) return value
  const kind = whole ? 'a whole number' : 'a number'
  throw new TypeError(`Expected ${name} to be ${kind} of at least ${least}; got ${shown(value)}.`)
}
