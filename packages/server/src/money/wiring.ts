import type { RateTable } from '../domain/money/rates.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { Parts } from '../platform/parts.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { type Prices, ratesIn } from './rates.ts'
import { createRatesCache } from './rates-cache.ts'
import { getBalance, getRates, listLedger } from './routes.ts'

/** How long until a process notices imported rates. */
const POLL_MS = 1_000

export interface Money {
  rates(): Promise<RateTable>
  /** All prices in a currency, by country and network. */
  prices(currency: string): Promise<Prices>
  ledger: Ledger
  handlers: Pick<Handlers, 'getBalance' | 'getRates' | 'listLedger'>
}

/** Builds the money subject: the cached rate table, the reads of the ledger and the handlers of its routes. */
export function createMoney({ database, clock }: Pick<Parts, 'database' | 'clock'>): Money {
  const ledger = createLedger(database)
  return {
    rates: createRatesCache(database, clock, POLL_MS),
    prices: (currency) => database.read((tx) => ratesIn(tx, currency)),
    ledger,
    handlers: {
      getBalance: getBalance(database, clock),
      listLedger: listLedger(ledger),
      getRates: getRates(database),
    },
  }
}
