import type { Micros } from '@wigwag/contract'
import type { Markup } from '../../net/pages/markup.ts'

export { money } from '../../kernel/money/shown.ts'

/** An amount with three decimals, or as many as it needs: `0.042`, `98.514`, `1,204.000`. */
export function amountOf(amount: Micros | number): string {
  const digits = String(Math.abs(amount)).padStart(7, '0')
  const whole = digits.slice(0, -6).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${amount < 0 ? '−' : ''}${whole}.${digits.slice(-6).replace(/0{1,3}$/, '')}`
}

/** A message's cost in a list: its price in brackets while it is held, 0 when it was released. */
export function costCell({
  held,
  cost,
  price,
}: {
  held: boolean
  cost: Micros
  price: Micros
}): Markup | string {
  if (held)
    return (
      <span class="soft">
        <span class="unseen">held </span>({amountOf(price)})
      </span>
    )
  return cost === 0 ? <span class="soft">0</span> : amountOf(cost)
}
