/** How figures are written in the report. */

export function fixed(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function us(value: number): string {
  return `${fixed(value, 0)} µs`
}

export function bytes(value: number): string {
  return `${fixed(value, 0)} bytes`
}

export function perSecond(value: number): string {
  return `${fixed(value, 0)}/s`
}
