import type { Clock } from '../clock.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Rate } from '../domain/rates.ts'
import { recordAudit } from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import { replaceRates } from '../store/rates.ts'

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
  const at = clock.now()
  const id = newId(at)
  await database.write(async (connection) => {
    await replaceRates(connection, rates, { sample: false, version: `import-${id}` })
    await recordAudit(connection, {
      id,
      at,
      actor: 'operator',
      action: 'rates.import',
      accountId: null,
      detail: { rates: rates.length },
    })
  })
}
