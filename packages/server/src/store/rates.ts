import { and, asc, eq } from 'drizzle-orm'
import type { Rate } from '../domain/rates.ts'
import type { Connection } from './database.ts'
import { insertRows } from './rows.ts'
import { readSetting, writeSetting } from './settings.ts'

export interface StoredRates {
  rates: Rate[]
  /** True while they are the built-in sample. */
  sample: boolean
  version: string
}

/**
 * Reads the version first: an import in between then leaves an old version with new prices, which the next check
 * corrects. The other way round, old prices would pass for new ones until the import after that.
 */
export async function readRates(connection: Connection): Promise<StoredRates> {
  const { db, t } = connection
  const version = await ratesVersion(connection)
  const sample = await isSample(connection)
  const rows = await db.select().from(t.rates)
  return {
    rates: rows.map(({ country, mcc, mnc, network, price, currency }) =>
      mcc === '' ? { country, price, currency } : { country, mcc, mnc, network, price, currency },
    ),
    sample,
    version,
  }
}

/** One country's rows in one currency, the default's without network codes. */
export async function ratesFor(connection: Connection, currency: string, country: string) {
  const { db, t } = connection
  const rates = await db
    .select()
    .from(t.rates)
    .where(and(eq(t.rates.currency, currency), eq(t.rates.country, country)))
    .orderBy(asc(t.rates.mcc), asc(t.rates.mnc))
  return { rates, sample: await isSample(connection) }
}

async function isSample(connection: Connection): Promise<boolean> {
  return (await readSetting(connection, 'rates_sample')) === 'true'
}

/** Changes with every import, so that running processes see it and read the table again. */
export async function ratesVersion(connection: Connection): Promise<string> {
  return (await readSetting(connection, 'rates_version')) ?? ''
}

/** Replaces the whole table. */
export async function replaceRates(
  connection: Connection,
  rates: readonly Rate[],
  { sample, version }: { sample: boolean; version: string },
): Promise<void> {
  const { db, t } = connection
  await db.delete(t.rates)
  const rows = rates.map(({ country, mcc = '', mnc = '', network = '', price, currency }) => ({
    country,
    mcc,
    mnc,
    network,
    price,
    currency,
  }))
  await insertRows(connection, t.rates, rows)
  await writeSetting(connection, 'rates_sample', String(sample))
  await writeSetting(connection, 'rates_version', version)
}
