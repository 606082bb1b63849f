import { type Micros, micros } from '@wigwag/contract'
import { NETWORKS, type Network } from '../phone/networks.ts'
import type { Recipient } from '../phone/phone.ts'
import { SAMPLE_EXCHANGE, SAMPLE_PRICES } from './sample-prices.ts'

/** The price of one segment: with mcc and mnc for one network, without both the country's default. */
export interface Rate {
  country: string
  mcc?: string
  mnc?: string
  network?: string
  price: Micros
  currency: string
}

/** The price of one segment to one recipient, and the network that the price is for. */
export interface UnitPrice {
  readonly country: string
  readonly network: string | undefined
  readonly unitPrice: Micros
}

/** Prepared quotes by currency, then by network or country, so that pricing a recipient allocates nothing. */
export interface RateTable {
  readonly currencies: ReadonlyMap<string, CurrencyRates>
}

interface CurrencyRates {
  readonly networks: Map<Network, UnitPrice>
  readonly countries: Map<string, UnitPrice>
}

/** Builds the table. The last of several rates for a destination and currency wins, so corrections can be appended. */
export function buildRateTable(rates: readonly Rate[]): RateTable {
  for (const rate of rates) checkRate(rate)
  const currencies = new Map<string, CurrencyRates>()
  // Defaults first, so that network rates replace them.
  for (const rate of rates.filter(isDefault)) {
    const table = ratesIn(currencies, rate.currency)
    table.countries.set(rate.country, quote(rate, undefined))
    for (const network of NETWORKS) {
      if (network.country === rate.country) table.networks.set(network, quote(rate, network.name))
    }
  }
  for (const rate of rates) {
    const table = ratesIn(currencies, rate.currency)
    for (const network of NETWORKS) {
      if (isFor(rate, network)) table.networks.set(network, quote(rate, rate.network ?? network.name))
    }
  }
  return { currencies }
}

/** The network's rate, else its country's default; undefined when the destination has no rate. */
export function priceFor(
  table: RateTable,
  { network, country }: Pick<Recipient, 'network' | 'country'>,
  currency: string,
): UnitPrice | undefined {
  const rates = table.currencies.get(currency)
  if (!rates) return undefined
  return network ? rates.networks.get(network) : rates.countries.get(country)
}

/**
 * An invented SAMPLE price list, for the sandbox and for trials, never for billing. Exists in EUR, GHS and USD; empty
 * for any other currency.
 */
export function sampleRates(currency: string): Rate[] {
  const perEuro = SAMPLE_EXCHANGE[currency]
  if (perEuro === undefined) return []
  const price = (euroMicros: number) => micros(Math.round((euroMicros * perEuro) / 100) * 100)
  return SAMPLE_PRICES.flatMap(([country, euroMicros, networks = []]) => [
    { country, price: price(euroMicros), currency },
    ...networks.map(([mcc, mnc, network, own]) => ({
      country,
      mcc,
      mnc,
      network,
      price: price(own),
      currency,
    })),
  ])
}

function isDefault(rate: Rate): boolean {
  return rate.mcc === undefined
}

function isFor(rate: Rate, network: Network): boolean {
  return rate.country === network.country && rate.mcc === network.mcc && rate.mnc === network.mnc
}

function quote(rate: Rate, network: string | undefined): UnitPrice {
  return { country: rate.country, network, unitPrice: rate.price }
}

function ratesIn(currencies: Map<string, CurrencyRates>, currency: string): CurrencyRates {
  const known = currencies.get(currency)
  if (known) return known
  const fresh: CurrencyRates = { networks: new Map(), countries: new Map() }
  currencies.set(currency, fresh)
  return fresh
}

/** Half a network code would silently count as a country's default, and a negative price would pay the sender. */
function checkRate(rate: Rate): void {
  if ((rate.mcc === undefined) !== (rate.mnc === undefined)) {
    throw new RangeError(
      `expected both mcc and mnc or neither in a rate for ${rate.country}, got one of them`,
    )
  }
  if (rate.price < 0) {
    throw new RangeError(`expected a price of zero or more for ${rate.country}, got ${rate.price} micros`)
  }
}
