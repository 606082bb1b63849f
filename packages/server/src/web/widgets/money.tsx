import type { Micros } from '@wigwag/contract'
import { amountOf } from '../../kernel/money/shown.ts'
import type { Markup } from '../../net/pages/markup.ts'

export { amountOf, changeOf, money } from '../../kernel/money/shown.ts'

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
