/** Whole millionths of the currency's unit. Sums of them are exact. */
export type Micros = number & { readonly unit: 'micros' }

const LARGEST = 1_000_000_000

/** Reads an amount such as `5` or `0.045`; undefined when it is not one. */
export function parseAmount(text: string): Micros | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? toMicros(Number(text)) : undefined
}

/** An amount from JSON in whole micros; undefined when it can't be a price. */
export function toMicros(amount: unknown): Micros | undefined {
  const possible = typeof amount === 'number' && amount >= 0 && amount <= LARGEST
  return possible ? (Math.round(amount * 1_000_000) as Micros) : undefined
}

export function formatMicros(amount: number): string {
  return String(amount / 1_000_000)
}
