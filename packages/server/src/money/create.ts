import type { RateTable } from '../domain/rates.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { Parts } from '../platform/parts.ts'
import { createRates } from './rate-table.ts'
import { getBalance, getRates } from './routes.ts'

/** How long until a process notices imported rates. */
const LOOK_MS = 1_000

export interface Money {
  rates(): Promise<RateTable>
  handlers: Pick<Handlers, 'getBalance' | 'getRates'>
}

/** Builds the money subject: the cached rate table and the handlers of its routes. */
export function createMoney({ database, clock }: Pick<Parts, 'database' | 'clock'>): Money {
  return {
    rates: createRates(database, clock, LOOK_MS),
    handlers: { getBalance: getBalance(database, clock), getRates: getRates(database) },
  }
}
