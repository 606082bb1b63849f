/** A value in an error: short, quoted if it is text, and without a password that stands in an address. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/\/\/[^/]*@/, '//…@').slice(0, 100)}'`
  return value === null || typeof value !== 'object'
    ? String(value)
    : (value.constructor?.name ?? 'an object')
}

/** Throws a TypeError, which names the option and what came, unless that is left out or such a number. */
export function checkNumber(
  name: string,
  value: unknown,
  { least, whole = false }: { least: number; whole?: boolean },
): void {
  const isRight = typeof value === 'number' && value >= least && (!whole || Number.isInteger(value))
  if (isRight || value === undefined) return
  const kind = whole ? 'a whole number' : 'a number'
  throw new TypeError(`Expected ${name} to be ${kind} of at least ${least}; got ${shown(value)}.`)
}
