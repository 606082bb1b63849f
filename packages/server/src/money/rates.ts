import { and, asc, eq, inArray, or, sql } from 'drizzle-orm'
import { type EpochMs, epochMs, isTicket, timeOfTicket } from '../kernel/ids.ts'
import { buildRateTable, type Rate, type RateTable } from '../kernel/money/rates.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Database, Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { readSetting, writeSetting } from '../store/settings.ts'

interface StoredRates {
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

/** The rate table, cached. Checks for a new version at most every `checkMs`, and rebuilds it only then. */
export class CachedRates {
  readonly #database: Database
  readonly #clock: Clock
  readonly #checkMs: number
  #table: RateTable | undefined
  #version: string | undefined
  #checkAt = 0
  #checking: Promise<RateTable> | undefined

  constructor(database: Database, clock: Clock, checkMs: number) {
    this.#database = database
    this.#clock = clock
    this.#checkMs = checkMs
  }

  async table(): Promise<RateTable> {
    if (this.#table && this.#clock.elapsed() < this.#checkAt) return this.#table
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<RateTable> {
    const current = await this.#database.read(ratesVersion)
    if (!this.#table || current !== this.#version) {
      const stored = await this.#database.read(readRates)
      this.#table = buildRateTable(stored.rates)
      this.#version = stored.version
    }
    this.#checkAt = this.#clock.elapsed() + this.#checkMs
    return this.#table
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

/** A currency in which customers pay, and for which there is no price at all. */
export interface UnpricedCurrency {
  currency: string
  accounts: number
}

/** The currencies of active customers that no price is in: they can send nothing. */
export function unpricedCurrencies({ run }: Tx): Promise<UnpricedCurrency[]> {
  return run<UnpricedCurrency>(
    `SELECT w.currency, count(DISTINCT w.account_id) AS accounts
     FROM wallets w JOIN accounts a ON a.id = w.account_id AND a.status = 'active'
     WHERE w.currency NOT IN (SELECT DISTINCT currency FROM rates)
     GROUP BY w.currency ORDER BY w.currency`,
    [],
  )
}

async function isSample(tx: Tx): Promise<boolean> {
  return (await readSetting(tx, 'rates_sample')) === 'true'
}

/** Changes with every import, so that running processes reload the table. */
async function ratesVersion(tx: Tx): Promise<string> {
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

/** Begins the version of a list that an operator put in force. */
export const IMPORTED = 'import-'
const SAMPLE = 'sample-'

/** Since when prices are in force, by their version; undefined when there were never any. */
export function sinceOf(version: string): EpochMs | undefined {
  if (version.startsWith(SAMPLE)) return epochMs(Number(version.slice(SAMPLE.length)))
  const id = version.slice(IMPORTED.length)
  return isTicket(id) ? timeOfTicket(id) : undefined
}

/** The rates in force, without the prices. */
export interface RatesInForce {
  sample: boolean
  since: EpochMs | undefined
  count: number
  currencies: string[]
}

export async function ratesInForce(tx: Tx): Promise<RatesInForce> {
  const since = sinceOf(await ratesVersion(tx))
  const sample = await isSample(tx)
  const rows = await tx.run<{ currency: string; count: number }>(
    'SELECT currency, count(*) AS count FROM rates GROUP BY currency ORDER BY currency',
    [],
  )
  return {
    sample,
    since,
    currencies: rows.map(({ currency }) => currency),
    count: rows.reduce((sum, { count }) => sum + Number(count), 0),
  }
}

type RateRow = Tables['rates']['$inferSelect']
export type RatePlace = Pick<RateRow, 'currency' | 'country' | 'mcc' | 'mnc'>

export interface RatesWanted {
  /** Undefined for all. */
  countries: readonly string[] | undefined
  /** Only the prices of these networks, and of the rest of the countries. Undefined for all. */
  networks: readonly Pick<RateRow, 'mcc' | 'mnc'>[] | undefined
  after: RatePlace | undefined
  limit: number
}

/** Some prices, by currency, country and network. */
export function someRates({ db, t }: Tx, wanted: RatesWanted): Promise<RateRow[]> {
  const { countries, networks, after, limit } = wanted
  const { rates } = t
  return db
    .select()
    .from(rates)
    .where(
      and(
        countries && inArray(rates.country, [...countries]),
        networks &&
          or(
            eq(rates.mcc, ''),
            ...networks.map(({ mcc, mnc }) => and(eq(rates.mcc, mcc), eq(rates.mnc, mnc))),
          ),
        after &&
          sql`(${rates.currency}, ${rates.country}, ${rates.mcc}, ${rates.mnc}) > (${after.currency}, ${after.country}, ${after.mcc}, ${after.mnc})`,
      ),
    )
    .orderBy(asc(rates.currency), asc(rates.country), asc(rates.mcc), asc(rates.mnc))
    .limit(limit)
}
