import type { Clock } from '../clock.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Rate } from '../domain/rates.ts'
import type { Database } from '../store/database.ts'
import { replaceRates } from '../store/rates.ts'
import { createAudit } from './audit.ts'

export interface ImportRatesOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

/** Puts a price list in the place of the one before. Running servers see it by its new version. */
export async function importRates(
  { database, clock, newId }: ImportRatesOptions,
  rates: readonly Rate[],
): Promise<void> {
  const audit = createAudit({ clock, newId })
  await database.write(async (connection) => {
    await replaceRates(connection, rates, { sample: false, version: `import-${newId(clock.now())}` })
    await audit(connection, { actor: 'operator', action: 'rates.import', detail: { rates: rates.length } })
  })
}
