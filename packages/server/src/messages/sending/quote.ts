import type { Micros } from '@wigwag/contract'
import type { Parts } from '../../flow/parts.ts'
import { invalidFields, Problem } from '../../kernel/errors.ts'
import type { RateTable } from '../../kernel/money/rates.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import { inSlices } from '../../kernel/process/event-loop.ts'
import { checkReference } from '../../kernel/sent-fields.ts'
import { checkContent, type Segmentation } from '../../kernel/text/segments.ts'
import { type Price, priceOf, totalPrice } from '../../money/index.ts'
import type { Database } from '../../store/database.ts'
import type { Remaining, SendLimits } from './limited-hold.ts'
import { CheckedTexts, checkApproved, checkSendAt, type SendTime } from './prepare.ts'

/** The price of a list. */
export interface Quote {
  /** By the place in the list: the price, or why nothing can be sent there. */
  prices: readonly (Quoted | Problem)[]
  /** Of the recipients that can be sent to. */
  total: Micros
  /** The first text that can be sent, and its place in the list; undefined if there is none. */
  sample: FirstText | undefined
}

export type Quoted = Price & Pick<Segmentation, 'segments'>

export interface FirstText extends Pick<Segmentation, 'encoding'> {
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
export async function quoteList(
  rates: () => Promise<RateTable>,
  { principal, sender, recipients }: QuoteRequest,
): Promise<Quote> {
  checkApproved(sender, principal)
  const table = await rates()
  const texts = new CheckedTexts()
  const prices: (Quoted | Problem)[] = []
  let total = 0
  let sample: FirstText | undefined

  function priced({ to, reference, content }: QuoteRecipient): Quoted | Problem {
    if (content instanceof Problem) return content
    const segmentation = texts.of(content)
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
  /** Today's remaining limits, for a limited caller that may send. */
  remaining: Remaining | undefined
}

/** Prices a message without sending it, after the checks that a send would have to pass. */
export async function estimate(
  {
    rates,
    limits,
    database,
    clock,
  }: Pick<Parts, 'clock'> & {
    database: Pick<Database, 'read'>
    rates(): Promise<RateTable>
    limits: Pick<SendLimits, 'remaining'>
  },
  { principal, sender, to, pointerTo, content, sendAt }: EstimateRequest,
): Promise<Estimate> {
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
