import { toDecimal } from '@wigwag/contract'
import type { Prices } from '../../money/index.ts'
import { csvReply } from '../../pages/csv.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { ratesPage } from './page.ts'

/** What a segment costs to each country and network, as a page and as a file. */
export function mountRates(pages: Pages, { money }: ConsoleParts): void {
  pages.show('/rates', 'read', async (visit) => {
    const { currency } = visit.principal.wallet
    const body = ratesPage({ ...(await money.prices(currency)), country: countryOf(visit), currency })
    return { title: 'Rates', place: 'rates', middle: true, body }
  })

  pages.file('/rates.csv', 'read', async (visit) => {
    const country = countryOf(visit)
    const { rates } = await money.prices(visit.principal.wallet.currency)
    const items = country === '' ? rates : rates.filter((rate) => rate.country === country)
    return csvReply<Prices['rates'][number]>({
      name: 'rates.csv',
      head: ['country', 'network', 'mcc', 'mnc', 'price', 'currency'],
      read: async () => ({ items, next: undefined }),
      line: ({ country, network, mcc, mnc, price, currency }) => [
        country,
        network,
        mcc,
        mnc,
        toDecimal(price),
        currency,
      ],
    })
  })
}

function countryOf({ c }: Visit): string {
  return c.req.query('country')?.trim().toUpperCase() ?? ''
}
