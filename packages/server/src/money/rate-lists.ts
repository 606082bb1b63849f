import { desc, eq, getTableColumns, lte } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Rate } from '../kernel/money/rates.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { claimSetting, replaceSetting } from '../store/settings.ts'
import { IMPORTED, readRates, replaceRates, sinceOf } from './rates.ts'

/** How many earlier lists are kept. */
const LISTS_KEPT = 50

/** A price list that was in force before, without its prices. */
export interface EarlierList {
  number: number
  /** When it came into force; undefined where that is not known. */
  since: EpochMs | undefined
  replacedAt: EpochMs
  /** Who put another one in its place, as the audit log says it. */
  replacedBy: string
  sample: boolean
  prices: number
}

/** The same with its prices. */
export interface EarlierRates extends EarlierList {
  rates: Rate[]
}

/** Parts of an operator's change of the prices. */
export type PriceWork = OperatorAuditOptions & { database: Database }

/** `kept`: the number of the list that was in force before; undefined when there was none. */
export interface RatesReplaced {
  kept: number | undefined
}

/**
 * Puts prices in place of those of a version, which become an earlier list, and audits it. Running servers notice the new
 * version. Changes nothing, and returns undefined, when another version is in force.
 */
export function importRates(
  parts: PriceWork,
  rates: readonly Rate[],
  replaced: string,
): Promise<RatesReplaced | undefined> {
  return putInForce(parts, { rates, sample: false }, replaced, { action: 'rates.import' })
}

/** The same with the prices of an earlier list. */
export function restoreRates(
  parts: PriceWork,
  { number, rates, sample }: EarlierRates,
  replaced: string,
): Promise<RatesReplaced | undefined> {
  const entry = { action: 'rates.restore', detail: { list: number } } as const
  return putInForce(parts, { rates, sample }, replaced, entry)
}

function putInForce(
  parts: PriceWork,
  { rates, sample }: { rates: readonly Rate[]; sample: boolean },
  replaced: string,
  { action, detail }: { action: 'rates.import' | 'rates.restore'; detail?: { list: number } },
): Promise<RatesReplaced | undefined> {
  const { database, clock, newId, acting } = parts
  const audit = createOperatorAudit(parts)
  return database.write(async (tx) => {
    const now = clock.now()
    const version = `${IMPORTED}${newId(now)}`
    // Changed first: of two that replace the same version, the other waits for this row.
    if (!(await replaceVersion(tx, replaced, version))) return undefined
    const kept = await keepList(tx, { since: sinceOf(replaced), replacedAt: now, replacedBy: acting.actor })
    await replaceRates(tx, rates, { sample, version })
    await audit(tx, {
      action,
      detail: { ...detail, rates: rates.length, ...(kept !== undefined && { kept }) },
    })
    return { kept }
  })
}

function replaceVersion(tx: Tx, from: string, to: string): Promise<boolean> {
  return from === ''
    ? claimSetting(tx, 'rates_version', to)
    : replaceSetting(tx, 'rates_version', { from, to })
}

/** Keeps the prices in force as an earlier list, and forgets the oldest. Returns its number; undefined without prices. */
async function keepList(
  tx: Tx,
  { since, ...replaced }: Pick<EarlierList, 'since' | 'replacedAt' | 'replacedBy'>,
): Promise<number | undefined> {
  const { rates, sample } = await readRates(tx)
  if (rates.length === 0) return undefined
  const { db, t } = tx
  const [newest] = await earlierLists(tx, 1)
  const number = (newest?.number ?? 0) + 1
  await insertRows(tx, t.rateLists, [
    {
      number,
      since: since ?? 0,
      ...replaced,
      sample: sample ? 1 : 0,
      prices: rates.length,
      list: JSON.stringify(rates),
    },
  ])
  await db.delete(t.rateLists).where(lte(t.rateLists.number, number - LISTS_KEPT))
  return number
}

/** The earlier lists, newest first. */
export async function earlierLists({ db, t }: Tx, limit = LISTS_KEPT): Promise<EarlierList[]> {
  const { list: _, ...columns } = getTableColumns(t.rateLists)
  const rows = await db.select(columns).from(t.rateLists).orderBy(desc(t.rateLists.number)).limit(limit)
  return rows.map(earlier)
}

/** An earlier list with its prices; undefined when there is none with this number, or no longer. */
export async function earlierRates({ db, t }: Tx, number: number): Promise<EarlierRates | undefined> {
  const [row] = await db.select().from(t.rateLists).where(eq(t.rateLists.number, number))
  return row && { ...earlier(row), rates: JSON.parse(row.list) as Rate[] }
}

type ListRow = Tables['rateLists']['$inferSelect']

function earlier({
  number,
  since,
  replacedAt,
  replacedBy,
  sample,
  prices,
}: Omit<ListRow, 'list'>): EarlierList {
  return {
    number,
    since: since === 0 ? undefined : epochMs(since),
    replacedAt,
    replacedBy,
    sample: sample === 1,
    prices,
  }
}
