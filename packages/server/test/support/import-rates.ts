import type { Rate } from '../../src/kernel/money/rates.ts'
import { importRates, type RatesReplaced, readRates } from '../../src/money/index.ts'

/** Puts prices in force, whatever the prices before. */
export async function importNow(
  parts: Parameters<typeof importRates>[0],
  rates: readonly Rate[],
): Promise<RatesReplaced> {
  const { version } = await parts.database.read(readRates)
  const done = await importRates(parts, rates, version)
  if (!done) throw new Error('other prices came into force meanwhile')
  return done
}
