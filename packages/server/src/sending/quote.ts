import { type Micros, micros } from '@wigwag/contract'
import { Problem } from '../domain/errors.ts'
import type { RateTable } from '../domain/rates.ts'
import { checkReference } from '../domain/reference.ts'
import { checkContent, type Segmentation } from '../domain/text/segments.ts'
import { type Price, priceOf } from '../money/index.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { checkApproved, type SendCommand } from './prepare.ts'

/** What one text would cost to many recipients. */
export interface Quote {
  segmentation: Segmentation
  /** By the place in the list: the price, or why nothing can be sent there. */
  prices: readonly (Price | Problem)[]
  /** Of the recipients that can be sent to. */
  total: Micros
}

export type QuoteRequest = Pick<SendCommand, 'sender' | 'content' | 'recipients'> & {
  principal: WalletPrincipal
}

/** Recipients that are priced between two turns of the event loop. */
const TURN = 500

/** Prices a list without sending it. Unlike a send it goes on after a wrong recipient, to find all of them. */
export function createQuote(rates: () => Promise<RateTable>) {
  return async function quote({ principal, sender, content, recipients }: QuoteRequest): Promise<Quote> {
    checkApproved(sender, principal)
    const segmentation = checkContent(content)
    const table = await rates()
    const prices: (Price | Problem)[] = []
    let total = 0
    for (const [index, { to, reference }] of recipients.entries()) {
      if (index % TURN === TURN - 1) await new Promise(setImmediate)
      const price = brokenReference(reference) ?? priceOf(to, segmentation, principal.wallet.currency, table)
      if (!(price instanceof Problem)) total += price.price
      prices.push(price)
    }
    return { segmentation, prices, total: micros(total) }
  }
}

function brokenReference(reference: string): Problem | undefined {
  try {
    checkReference(reference)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
