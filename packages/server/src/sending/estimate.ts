import { invalidFields, Problem } from '../domain/errors.ts'
import type { RateTable } from '../domain/rates.ts'
import { checkContent, type Segmentation } from '../domain/text/segments.ts'
import { type Price, priceOf } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import type { Remaining, SendLimits } from './limited-hold.ts'
import { checkApproved, checkSendAt, type SendTime } from './prepare.ts'

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
    const hasLimits = principal.grant?.canSend ?? principal.forTools
    const remaining = hasLimits
      ? await database.read((tx) => limits.remaining(tx, principal, to, clock.now()))
      : undefined
    return { ...segmentation, ...priced, currency, remaining }
  }
}
