/**
 * Money inside Wigwag: a whole number of micros, 10⁻⁶ of the wallet's currency. Decimals exist only on the wire and on
 * the command line, so no sum is ever computed in binary fractions.
 */
export type Micros = number & { readonly __brand: 'Micros' }

const PER_UNIT = 1_000_000
const LARGEST_PRICE = 1_000_000_000
const AMOUNT = /^([0-9]+)(?:\.([0-9]{1,6}))?$/

/** Brands a whole number of micros. Anything else is our bug, not a client's mistake, so it throws a RangeError. */
export function micros(n: number): Micros {
  if (!Number.isSafeInteger(n)) throw new RangeError(`expected a whole, safe number of micros, got ${n}`)
  // Adding zero turns -0 into 0, so that two equal amounts are also the same value.
  return (n + 0) as Micros
}

export const ZERO: Micros = micros(0)

/** The most that one price or one wallet can be. Above this, a number of micros is not exact. */
export const MOST_MICROS: Micros = micros(Number.MAX_SAFE_INTEGER)

/** A sum for a report, which may be more than any wallet holds. Then it is a few micros off, which nobody is charged. */
export function microsOfSum(sum: number): Micros {
  if (!Number.isInteger(sum)) throw new RangeError(`expected a whole number of micros, got ${sum}`)
  return (sum + 0) as Micros
}

/**
 * Converts to major units for a JSON number: 45000 becomes 0.045. A single, correctly rounded division, so the number
 * prints with at most six decimals and reads back as the same micros up to 8.5 billion units; beyond that a JSON number
 * is too coarse for six decimals.
 */
export function toDecimal(amount: Micros): number {
  return amount / PER_UNIT
}

/** Converts a price given as a JSON number; undefined when it can't be a price. */
export function fromDecimal(amount: unknown): Micros | undefined {
  const possible = typeof amount === 'number' && amount >= 0 && amount <= LARGEST_PRICE
  return possible ? micros(Math.round(amount * PER_UNIT)) : undefined
}

/** Reads an amount from a person or a file: plain digits, not negative, at most six decimals. */
export function parseAmount(text: string): Micros {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []
  if (whole === undefined) {
    throw new Error(
      `expected an amount such as 50 or 0.045, with at most 6 decimals, got ${JSON.stringify(text)}`,
    )
  }
  const amount = Number(whole) * PER_UNIT + Number(fraction.padEnd(6, '0'))
  if (!Number.isSafeInteger(amount)) {
    throw new Error(`expected an amount below 9007199254, got ${text}`)
  }
  return micros(amount)
}

/** Writes an amount for people, with two decimals or as many as it needs: `5.00`, `0.045`. */
export function formatAmount(amount: Micros): string {
  const digits = String(Math.abs(amount)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`
}
