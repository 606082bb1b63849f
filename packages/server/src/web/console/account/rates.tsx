import { toDecimal } from '@wigwag/contract'
import { type Prices, ratesIn } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { csvReply } from '../../files.ts'
import { amountOf } from '../../widgets/money.tsx'
import { countryName } from '../../widgets/phone.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'

/** Prices of a segment by country and network, as a page and as a file. */
export function mountRates(pages: Pages, { database }: ConsoleParts): void {
  pages.show('/rates', 'read', async (visit) => {
    const { currency } = visit.principal.wallet
    const prices = await database.read((tx) => ratesIn(tx, currency))
    const body = ratesPage({ ...prices, country: countryOf(visit), currency })
    return { title: 'Rates', place: 'rates', middle: true, body }
  })

  pages.file('/rates.csv', 'read', async (visit) => {
    const country = countryOf(visit)
    const { currency } = visit.principal.wallet
    const { rates } = await database.read((tx) => ratesIn(tx, currency))
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

interface RatesView extends Prices {
  /** As it was asked for; empty for all countries. */
  country: string
  currency: string
}

type Rate = Prices['rates'][number]

/** Prices of a segment: of all countries, or of one with its networks. */
function ratesPage({ rates, sample, country, currency }: RatesView): Markup {
  const countries = Map.groupBy(rates, (rate) => rate.country)
  const chosen = countries.get(country)
  return (
    <>
      <div class="head">
        <h1>Rates</h1>
        <span class="soft roomy">{currency} for one segment</span>
        <span class="end">
          <a
            class="button second"
            href={`/rates.csv${country !== '' ? `?country=${encodeURIComponent(country)}` : ''}`}
          >
            Export CSV
          </a>
        </span>
      </div>
      {sample && (
        <div class="note warn">
          <p>These are sample prices: invented, for trying things out.</p>
        </div>
      )}
      {picker([...countries.keys()], country)}
      {country === '' ? (
        allCountries(countries, currency)
      ) : chosen ? (
        oneCountry(country, chosen, currency)
      ) : (
        <div class="sheet">
          <p>No price for this country.</p>
        </div>
      )}
    </>
  )
}

function picker(codes: readonly string[], chosen: string): Markup {
  const named = codes.map((code) => ({ code, name: countryName(code) }))
  named.sort((a, b) => (a.name < b.name ? -1 : 1))
  const options = named.map(({ code, name }) => (
    <option value={code} selected={code === chosen}>
      {name}
    </option>
  ))
  return (
    <form class="together field" action="/rates">
      <label for="country">Country</label>
      <select class="box short" id="country" name="country">
        <option value="">All countries</option>
        {options}
      </select>
      <button class="second">Show</button>
    </form>
  )
}

function allCountries(countries: ReadonlyMap<string, Rate[]>, currency: string): Markup {
  if (countries.size === 0)
    return (
      <div class="sheet">
        <p>There are no prices in {currency} yet.</p>
      </div>
    )
  const rows = [...countries]
    .sort(([a], [b]) => (countryName(a) < countryName(b) ? -1 : 1))
    .map(([code, rates]) => {
      const others = rates.filter(({ mcc }) => mcc !== '').map(({ network }) => network)
      return (
        <tr>
          <th scope="row">
            <a href={`/rates?country=${encodeURIComponent(code)}`}>{countryName(code)}</a>
          </th>
          <td class="wide">
            <bdi>{others.join(', ')}</bdi>
          </td>
          <td class="num">{defaultOf(rates)}</td>
        </tr>
      )
    })
  return (
    <section class="sheet flush">
      <table>
        <caption class="unseen">All countries</caption>
        {tableHead(
          'Country',
          { title: 'Networks with their own price', class: 'wide' },
          num(`Default, ${currency}`),
        )}
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}

function oneCountry(code: string, rates: readonly Rate[], currency: string): Markup {
  const networks = rates.filter(({ mcc }) => mcc !== '')
  const rows = networks.map(({ network, mcc, mnc, price }) => (
    <tr>
      <th scope="row">
        <bdi>{network}</bdi>
      </th>
      <td class="nums">{mcc}</td>
      <td class="nums">{mnc}</td>
      <td class="num">{amountOf(price)}</td>
    </tr>
  ))
  return (
    <>
      <dl class="sheet figures">
        <div>
          <dt>{countryName(code)}, default price</dt>
          <dd>
            {defaultOf(rates)}
            <small>for networks without their own price</small>
          </dd>
        </div>
      </dl>
      {rows.length > 0 && (
        <section class="sheet flush">
          <table>
            <caption class="unseen">Networks of {countryName(code)}</caption>
            {tableHead('Network', 'MCC', 'MNC', num(`Price, ${currency}`))}
            <tbody>{rows}</tbody>
          </table>
        </section>
      )}
    </>
  )
}

function defaultOf(rates: readonly Rate[]): string {
  const all = rates.find(({ mcc }) => mcc === '')
  return all ? amountOf(all.price) : 'none'
}
