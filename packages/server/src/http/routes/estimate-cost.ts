import { toDecimal } from '../../domain/money.ts'
import type { Estimate, EstimateRequest } from '../../gateway/estimate.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'

export function estimateCost(
  estimate: (request: EstimateRequest) => Promise<Estimate>,
): Handler<'estimateCost'> {
  return async ({ principal, body }) => {
    const { encoding, segments, unicodeCause, unitPrice, price, currency, country, network } = await estimate(
      {
        principal: walletOf(principal),
        sender: body.From,
        to: body.To,
        content: body.Content,
      },
    )
    return {
      body: {
        Segments: segments,
        Encoding: encoding,
        ...(unicodeCause === undefined ? {} : { UnicodeCause: unicodeCause }),
        UnitPrice: toDecimal(unitPrice),
        Cost: toDecimal(price),
        Currency: currency,
        Country: country,
        ...(network === undefined ? {} : { Network: network }),
      },
    }
  }
}
