import type { Micros } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { type NetworkTotal, totalsByNetwork } from '../../messages/index.ts'
import type { Tx } from '../../store/database.ts'
import type { CarrierCost } from '../submit/costs.ts'

/** Amounts owed to carriers and charged to customers during some hours. */
export interface Costs {
  costs: readonly CarrierTotal[]
  /** In which customers paid. */
  currencies: readonly string[]
  networks: readonly Margin[]
}

/** The messages to one network. */
export interface Margin {
  country: string
  network: string
  /** Messages that customers sent, by currency and their outcome so far. */
  totals: readonly NetworkTotal[]
  /** The totals of currencies in which something was charged. */
  charged: readonly NetworkTotal[]
  /** Undefined when no carrier's cost is known. */
  owed: number | undefined
  /** Costs have no currency, so there is a margin only where customers paid in one. */
  margin: number | undefined
}

/** Compares what carriers are owed with what customers were charged in some hours: without `before`, until now. */
export async function readCosts(tx: Tx, since: EpochMs, before?: EpochMs): Promise<Costs> {
  const costs = await costsBetween(tx, since, before)
  const totals = await totalsByNetwork(tx, since, before)
  const currencies = [...new Set(totals.filter(({ spend }) => spend > 0).map(({ currency }) => currency))]
  return { costs, currencies, networks: compare(costs, totals, currencies.length <= 1) }
}

function compare(
  costs: readonly CarrierTotal[],
  sent: readonly NetworkTotal[],
  hasMargin: boolean,
): Margin[] {
  const key = ({ country, network }: { country: string; network: string }) => `${country}\n${network}`
  const places = new Map([...costs, ...sent].map((one) => [key(one), one]))
  return [...places.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, { country, network }]) => {
      const owing = costs.filter((one) => key(one) === place)
      const totals = sent.filter((one) => key(one) === place)
      const charged = totals.filter(({ spend }) => spend > 0)
      const owed = owing.length === 0 ? undefined : owing.reduce((sum, { cost }) => sum + cost, 0)
      const paid = charged.reduce((sum, one) => sum + one.spend, 0)
      const margin = hasMargin && owed !== undefined ? paid - owed : undefined
      return { country, network, totals, charged, owed, margin }
    })
}

/** The amount owed to a carrier for the parts that it took on a day. */
export interface DayCost {
  /** Since 1970, in UTC. */
  day: number
  parts: number
  cost: Micros
}

/** The amounts owed to a carrier since an hour, by day, the newest first. */
export function costsByDay({ run }: Tx, carrier: string, hour: EpochMs): Promise<DayCost[]> {
  return run(
    `SELECT hour / 86400000 AS day, CAST(sum(parts) AS BIGINT) AS parts, CAST(sum(cost) AS BIGINT) AS cost
     FROM carrier_totals WHERE carrier = $1 AND hour >= $2 GROUP BY 1 ORDER BY 1 DESC`,
    [carrier, hour],
  )
}

/** The amount owed to a carrier for the messages to one network. */
type CarrierTotal = Omit<CarrierCost, 'hour'>

/** The carriers that have totals, one step of the primary key each: the hour is its second column. */
const CARRIERS = `WITH RECURSIVE carriers(carrier) AS (
  SELECT min(carrier) FROM carrier_totals
  UNION ALL SELECT (SELECT min(t.carrier) FROM carrier_totals t WHERE t.carrier > c.carrier) FROM carriers c
    WHERE c.carrier IS NOT NULL)`

/** The amounts owed to carriers for some hours. PostgreSQL returns sums as text, so they are cast. */
export function costsBetween(
  { run }: Tx,
  since: EpochMs,
  before: EpochMs = epochMs(Number.MAX_SAFE_INTEGER),
): Promise<CarrierTotal[]> {
  return run(
    `${CARRIERS}
     SELECT t.carrier, t.country, t.network, CAST(sum(t.parts) AS BIGINT) AS parts, CAST(sum(t.cost) AS BIGINT) AS cost
     FROM carriers c JOIN carrier_totals t ON t.carrier = c.carrier AND t.hour >= $1 AND t.hour < $2
     GROUP BY t.carrier, t.country, t.network ORDER BY t.carrier, t.country, t.network`,
    [since, before],
  )
}
