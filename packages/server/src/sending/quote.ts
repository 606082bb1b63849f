import type { Micros } from '@wigwag/contract'
import { invalidFields, Problem } from '../domain/errors.ts'
import type { RateTable } from '../domain/money/rates.ts'
import { checkReference } from '../domain/reference.ts'
import { checkContent, type Segmentation } from '../domain/text/segments.ts'
import { type Price, priceOf, totalPrice } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { inSlices } from '../platform/event-loop.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import type { Remaining, SendLimits } from './limited-hold.ts'
import { checkApproved, checkSendAt, createSegmentationOf, type SendTime } from './prepare.ts'

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
    return { prices, total: totalPrice(total, principal.wallet.currency), sample }
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

export interface EstimateRequest {
  principal: WalletPrincipal
  sender: string | undefined
  to: string
  /** Where the number stands in the request, for errors. */
  pointerTo: string
  content: string
  sendAt?: SendTime | undefined
}

export interface Estimate extends Segmentation, Price {
  currency: string
  /** What the limits leave of today, for a caller that has some and may send. */
  remaining: Remaining | undefined
}

export interface EstimateOptions {
  rates(): Promise<RateTable>
  limits: Pick<SendLimits, 'remaining'>
  database: Pick<Database, 'read'>
  clock: Clock
}

/** Prices a message without sending it, after the checks that a send would have to pass. */
export function createEstimate({ rates, limits, database, clock }: EstimateOptions) {
  return async function estimate({
    principal,
    sender,
    to,
    pointerTo,
    content,
    sendAt,
  }: EstimateRequest): Promise<Estimate> {
    if (sender !== undefined) checkApproved(sender, principal)
    if (sendAt) checkSendAt(sendAt, clock.now())
    const segmentation = checkContent(content)
    const { currency } = principal.wallet
    const priced = priceOf(to, segmentation, currency, await rates())
    if (priced instanceof Problem) {
      throw invalidFields([{ pointer: pointerTo, code: priced.code, detail: priced.message }])
    }
    const hasLimits = principal.connection?.canSend ?? principal.forTools
    const remaining = hasLimits
      ? await database.read((tx) => limits.remaining(tx, principal, to, clock.now()))
      : undefined
    return { ...segmentation, ...priced, currency, remaining }
  }
}
