import { Problem } from '../domain/errors.ts'
import type { RateTable } from '../domain/rates.ts'
import { checkContent, type Segmentation } from '../domain/segments.ts'
import { invalidFields } from './prepare.ts'
import { type Price, priceOf } from './price.ts'
import type { WalletPrincipal } from './principal.ts'
import { checkApproved } from './senders.ts'

export interface EstimateRequest {
  principal: WalletPrincipal
  sender: string | undefined
  to: string
  content: string
}

export interface Estimate extends Segmentation, Price {
  currency: string
}

/** Says what a message would cost, with every check that a send of it would have to pass. */
export function createEstimate(rates: () => Promise<RateTable>) {
  return async function estimate({ principal, sender, to, content }: EstimateRequest): Promise<Estimate> {
    if (sender !== undefined) checkApproved(sender, principal)
    const segmentation = checkContent(content)
    const { currency } = principal.wallet
    const priced = priceOf(to, segmentation, currency, await rates())
    if (priced instanceof Problem) {
      throw invalidFields([{ pointer: '/To', code: priced.code, detail: priced.message }])
    }
    return { ...segmentation, ...priced, currency }
  }
}
