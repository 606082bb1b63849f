import type { Micros } from '@wigwag/contract'
import { isFinal, settlementOf } from '../../domain/message.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { OpenMessage } from './read.ts'

interface Sum {
  what: Markup | string
  amount: string
  total?: true
}

/** What the message did to the wallet: it holds money until it is final, then charges it or gives it back. */
export function moneySheet(view: OpenMessage): Markup {
  const caption = isFinal(view.message.status) ? 'What the message cost' : 'What the message holds'
  const rows = sumsOf(view).map(
    ({ what, amount, total }) =>
      markup`<tr${total && markup` class="line"`}><th scope="row">${what}</th><td class="num">${amount}</td></tr>`,
  )
  return markup`<section class="sheet"><h2>Money</h2><table class="sums nums"><caption class="unseen">${caption}</caption><tbody>${rows}</tbody></table></section>`
}

function sumsOf({ message, wallet, currency }: OpenMessage): Sum[] {
  const { status, balanceBefore, balanceAfter, segments, price, cost } = message
  const whole = (amount: Micros) => `${currency} ${amountOf(amount)}`
  const times = markup` <span class="soft">${segments} × ${amountOf(price / segments)}</span>`
  if (!isFinal(status))
    return [
      { what: 'Posted balance', amount: whole(wallet.posted) },
      { what: markup`Held for this message${times}`, amount: amountOf(price) },
      { what: 'Charged so far', amount: `${currency} 0`, total: true },
    ]
  const before = { what: 'Posted balance before', amount: whole(balanceBefore) }
  const after = { what: 'Posted balance after', amount: whole(balanceAfter), total: true } as const
  if (settlementOf(status) === 'post')
    return [before, { what: markup`Charged${times}`, amount: `− ${amountOf(cost)}` }, after]
  const given = { what: markup`Held, then given back${times}`, amount: amountOf(price) }
  return [before, given, { what: 'Charged', amount: '0' }, after]
}
