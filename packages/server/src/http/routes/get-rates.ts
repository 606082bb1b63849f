import { toDecimal } from '../../domain/money.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'

export function getRates(queries: Queries): Handler<'getRates'> {
  return async ({ principal, path }) => {
    const { country, currency, defaultPrice, networks, sample } = await queries.rates(
      walletOf(principal),
      path.country.toUpperCase(),
    )
    return {
      body: {
        Country: country,
        Currency: currency,
        ...(defaultPrice === undefined ? {} : { DefaultPrice: toDecimal(defaultPrice) }),
        Networks: networks.map(({ name, mcc, mnc, price }) => ({
          Network: name,
          Mcc: mcc,
          Mnc: mnc,
          Price: toDecimal(price),
        })),
        Sample: sample,
      },
    }
  }
}
