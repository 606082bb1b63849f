import type { Parts } from '../flow/parts.ts'
import { SECOND_MS } from '../kernel/time/spans.ts'
import type { Handlers } from '../net/server/handler.ts'
import { CachedRates } from './rates.ts'
import { getBalance, getRates, listLedger } from './routes.ts'

/** How long until a process notices imported rates. */
const POLL_MS = SECOND_MS

/** Opens the money subject: the cached rate table, and the handlers of its routes. */
export function openMoney({ database, clock }: Pick<Parts, 'database' | 'clock'>) {
  const cached = new CachedRates(database, clock, POLL_MS)
  return {
    rates: () => cached.table(),
    handlers: {
      getBalance: getBalance(database, clock),
      listLedger: listLedger(database),
      getRates: getRates(database),
    } satisfies Partial<Handlers>,
  }
}
