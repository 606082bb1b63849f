import { type Micros, micros } from '@wigwag/contract'
import { Problem } from '../domain/errors.ts'
import type { RateTable } from '../domain/rates.ts'
import { checkReference } from '../domain/reference.ts'
import type { Segmentation } from '../domain/text/segments.ts'
import { type Price, priceOf } from '../money/index.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { inSlices } from '../platform/thread.ts'
import { checkApproved, createSegmentationOf } from './prepare.ts'

/** What a list would cost. */
export interface Quote {
  /** By the place in the list: the price, or why nothing can be sent there. */
  prices: readonly (Quoted | Problem)[]
  /** Of the recipients that can be sent to. */
  total: Micros
  /** The first text that can be sent, and its place in the list; undefined if there is none. */
  sample: Sample | undefined
}

export type Quoted = Price & Pick<Segmentation, 'segments'>

export interface Sample extends Pick<Segmentation, 'encoding'> {
  content: string
  index: number
}

export interface QuoteRequest {
  principal: WalletPrincipal
  sender: string
  recipients: Iterable<QuoteRecipient>
}

interface QuoteRecipient {
  to: string
  reference: string
  /** The text, or why there is none. */
  content: string | Problem
}

/** Prices a list without sending it. Unlike a send it goes on after a wrong recipient, to find all of them. */
export function createQuote(rates: () => Promise<RateTable>) {
  return async function quote({ principal, sender, recipients }: QuoteRequest): Promise<Quote> {
    checkApproved(sender, principal)
    const table = await rates()
    const segmentationOf = createSegmentationOf()
    const prices: (Quoted | Problem)[] = []
    let total = 0
    let sample: Sample | undefined

    function priced({ to, reference, content }: QuoteRecipient): Quoted | Problem {
      if (content instanceof Problem) return content
      const segmentation = segmentationOf(content)
      sample ??= { content, encoding: segmentation.encoding, index: prices.length }
      checkReference(reference)
      const price = priceOf(to, segmentation, principal.wallet.currency, table)
      return price instanceof Problem ? price : { ...price, segments: segmentation.segments }
    }

    await inSlices(recipients, (recipient) => {
      const price = orProblem(() => priced(recipient))
      if (!(price instanceof Problem)) total += price.price
      prices.push(price)
    })
    return { prices, total: micros(total), sample }
  }
}

function orProblem<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
