import { buildRateTable, type RateTable } from '../domain/money/rates.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { ratesVersion, readRates } from './rates.ts'

/** Returns the cached rate table. Checks for a new version at most every `checkMs`, and rebuilds it only then. */
export function createRatesCache(
  database: Database,
  clock: Clock,
  checkMs: number,
): () => Promise<RateTable> {
  let table: RateTable | undefined
  let version: string | undefined
  let checkAt = 0
  let checking: Promise<RateTable> | undefined

  async function check(): Promise<RateTable> {
    const current = await database.read(ratesVersion)
    if (!table || current !== version) {
      const stored = await database.read(readRates)
      table = buildRateTable(stored.rates)
      version = stored.version
    }
    checkAt = clock.elapsed() + checkMs
    return table
  }

  return async function rates() {
    if (table && clock.elapsed() < checkAt) return table
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
}
