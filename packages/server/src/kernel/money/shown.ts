import { formatAmount, type Micros } from '@wigwag/contract'

/** `GHS 1,204.50` */
export function money(amount: Micros, currency: string): string {
  const [whole = '', fraction] = formatAmount(amount).split('.')
  return `${currency} ${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${fraction}`
}
