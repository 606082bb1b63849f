import { and, asc, eq } from 'drizzle-orm'
import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import type { Rate } from '../domain/money/rates.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { readSetting, writeSetting } from '../platform/database/settings.ts'

export interface StoredRates {
  rates: Rate[]
  /** True if these are the built-in sample rates. */
  sample: boolean
  version: string
}

/**
 * Reads the version first: an import in between then gives new prices with the old version, which the next check
 * corrects. In the other order, old prices would count as current until the next import.
 */
export async function readRates(tx: Tx): Promise<StoredRates> {
  const { db, t } = tx
  const version = await ratesVersion(tx)
  const sample = await isSample(tx)
  const rows = await db.select().from(t.rates)
  return {
    rates: rows.map(({ country, mcc, mnc, network, price, currency }) =>
      mcc === '' ? { country, price, currency } : { country, mcc, mnc, network, price, currency },
    ),
    sample,
    version,
  }
}

/** The rates of one country in one currency. The default rate has no network codes. */
export async function ratesFor(tx: Tx, currency: string, country: string): Promise<Prices> {
  const { db, t } = tx
  const rates = await db
    .select()
    .from(t.rates)
    .where(and(eq(t.rates.currency, currency), eq(t.rates.country, country)))
    .orderBy(asc(t.rates.mcc), asc(t.rates.mnc))
  return { rates, sample: await isSample(tx) }
}

/** Prices as they were imported. The default of a country has no network codes. */
export interface Prices {
  rates: Tables['rates']['$inferSelect'][]
  /** True if these are the built-in sample rates. */
  sample: boolean
}

/** All rates in one currency, by country, its default first. */
export async function ratesIn(tx: Tx, currency: string): Promise<Prices> {
  const { db, t } = tx
  const rates = await db
    .select()
    .from(t.rates)
    .where(eq(t.rates.currency, currency))
    .orderBy(asc(t.rates.country), asc(t.rates.mcc), asc(t.rates.mnc))
  return { rates, sample: await isSample(tx) }
}

async function isSample(tx: Tx): Promise<boolean> {
  return (await readSetting(tx, 'rates_sample')) === 'true'
}

/** Changes with every import, so that running processes reload the table. */
export async function ratesVersion(tx: Tx): Promise<string> {
  return (await readSetting(tx, 'rates_version')) ?? ''
}

/** Replaces all rates and sets a new version. */
export async function replaceRates(
  tx: Tx,
  rates: readonly Rate[],
  { sample, version }: { sample: boolean; version: string },
): Promise<void> {
  const { db, t } = tx
  await db.delete(t.rates)
  const rows = rates.map(({ country, mcc = '', mnc = '', network = '', price, currency }) => ({
    country,
    mcc,
    mnc,
    network,
    price,
    currency,
  }))
  await insertRows(tx, t.rates, rows)
  await writeSetting(tx, 'rates_sample', String(sample))
  await writeSetting(tx, 'rates_version', version)
}

export interface ImportRatesOptions extends OperatorAuditOptions {
  database: Database
}

/** Replaces the price list and audits it. Running servers notice the new version. */
export async function importRates(options: ImportRatesOptions, rates: readonly Rate[]): Promise<void> {
  const { database, clock, newId } = options
  const audit = createOperatorAudit(options)
  await database.write(async (tx) => {
    await replaceRates(tx, rates, { sample: false, version: `import-${newId(clock.now())}` })
    await audit(tx, { action: 'rates.import', detail: { rates: rates.length } })
  })
}
