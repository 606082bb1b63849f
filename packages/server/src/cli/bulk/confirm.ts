import { formatAmount, type Micros, micros } from '@wigwag/contract'
import type { ManyEstimate } from '@wigwag/sdk/segments'
import { canAsk, saysYes } from '../ask.ts'
import { Failed } from '../terminal.ts'

const microsOf = ({ cost }: ManyEstimate) => micros(Math.round(cost * 1_000_000))

/** A price as people read it: `about 12.60 GHS`. */
export function priceInWords(estimate: ManyEstimate): string {
  const { exact, currency = '' } = estimate
  return `${exact ? '' : 'about '}${formatAmount(microsOf(estimate))} ${currency}`.trimEnd()
}

/** Asks the person at the terminal about a price above an amount. Without a terminal it is refused. */
export async function confirmPrice(estimate: ManyEstimate, above: Micros): Promise<void> {
  if (microsOf(estimate) <= above) return
  const price = priceInWords(estimate)
  if (!canAsk()) {
    throw new Failed(
      `this would cost ${price}, which is more than ${formatAmount(above)}: add --yes to send it; nothing was sent`,
      2,
    )
  }
  const agreed = await saysYes(`Send to ${estimate.recipients} recipients for ${price}?`)
  if (!agreed) throw new Failed('nothing was sent')
}
