import { formatAmount, type Micros } from '@wigwag/contract'

/*
 * How people read amounts, on pages, at the command line and in mails: at least two decimals and more only as needed, the
 * currency before the number, and a sign before both.
 */

const MINUS = '−'

/** `1,204.50`, `0.042`, `− 4.00` */
export function amountOf(amount: Micros | number): string {
  const [whole = '', fraction] = formatAmount(Math.abs(amount) as Micros).split('.')
  const grouped = `${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${fraction}`
  return amount < 0 ? `${MINUS} ${grouped}` : grouped
}

/** `GHS 1,204.50`; below nothing `− GHS 4.00`. */
export function money(amount: Micros | number, currency: string): string {
  const text = `${currency} ${amountOf(Math.abs(amount))}`
  return amount < 0 ? `${MINUS} ${text}` : text
}

/** A wallet's gain or loss: `+ 25.00`, `− GHS 0.042`. */
export function changeOf(amount: Micros, isAdded: boolean, currency?: string): string {
  return `${isAdded ? '+' : MINUS} ${currency === undefined ? amountOf(amount) : money(amount, currency)}`
}

/** The same of an amount as JSON has it: `GHS 0.50` of 0.5. */
export function moneyOfDecimal(amount: number, currency: string): string {
  return money(Math.round(amount * 1_000_000), currency)
}
