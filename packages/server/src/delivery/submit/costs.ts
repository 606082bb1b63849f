import { type Micros, micros } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import type { OutgoingMessage } from '../../domain/message.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type NewRefs, type StoredRefs, storeRefs } from '../finish/refs.ts'

const HOUR_MS = 3_600_000
const FAR = epochMs(Number.MAX_SAFE_INTEGER)

/** What a carrier is owed for the parts of a message that it took. */
export interface CarrierCost {
  carrier: string
  hour: number
  country: string
  network: string
  parts: number
  cost: Micros
}

interface Taken {
  carrier: string
  /** For a part; undefined when the route does not say. */
  unit: Micros | undefined
  parts: number
  at: number
}

/** The cost of each reference to a message; undefined where the operator has not said what a part costs. */
export function costOf(
  message: OutgoingMessage,
  { carrier, unit, parts, at }: Taken,
): CarrierCost | undefined {
  if (unit === undefined) return undefined
  // A carrier that takes a long message as a whole bills its segments all the same.
  const taken = parts === 1 ? message.segments : 1
  return {
    carrier,
    hour: at - (at % HOUR_MS),
    country: message.country,
    network: message.network ?? '',
    parts: taken,
    cost: micros(unit * taken),
  }
}

/** What a carrier has taken of a message. */
export interface TakenRefs {
  refs?: NewRefs | undefined
  /** The cost of each reference. */
  cost?: CarrierCost | undefined
}

/**
 * Stores references and what is owed for those that are new: storing the same again, after a commit that may have been
 * lost, adds nothing.
 */
export async function storeTaken(tx: Tx, taken: readonly TakenRefs[], now: EpochMs): Promise<StoredRefs> {
  const stored = await storeRefs(
    tx,
    taken.flatMap(({ refs }) => refs ?? []),
    now,
  )
  await addCosts(
    tx,
    taken.flatMap(({ refs, cost }) => (refs && cost ? costOfNew(refs, cost, stored) : [])),
  )
  return stored
}

function costOfNew({ refs }: NewRefs, each: CarrierCost, { isNew }: StoredRefs): CarrierCost[] {
  const count = refs.filter(({ ref }) => isNew(each.carrier, ref)).length
  return count === 0 ? [] : [{ ...each, parts: each.parts * count, cost: micros(each.cost * count) }]
}

/** Adds costs to the carriers' hourly totals. */
export async function addCosts({ run }: Tx, costs: readonly CarrierCost[]): Promise<void> {
  const byRow = Map.groupBy(costs, ({ carrier, hour, country, network }) =>
    [carrier, String(hour), country, network].join('\n'),
  )
  // All code locks these rows in this order.
  for (const [, group] of [...byRow].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [first] = group
    if (!first) continue
    await run(
      `INSERT INTO carrier_totals AS t (carrier, hour, country, network, parts, cost) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (carrier, hour, country, network) DO UPDATE SET parts = t.parts + excluded.parts,
         cost = t.cost + excluded.cost`,
      [first.carrier, first.hour, first.country, first.network, sum(group, 'parts'), sum(group, 'cost')],
    )
  }
}

function sum(costs: readonly CarrierCost[], key: 'parts' | 'cost'): number {
  return costs.reduce((total, cost) => total + cost[key], 0)
}

/** What a carrier is owed for the parts that it took on a day. */
export interface DayCost {
  /** Since 1970, in UTC. */
  day: number
  parts: number
  cost: Micros
}

/** What a carrier is owed since an hour, by day, the newest first. */
export function costsByDay({ run }: Tx, carrier: string, hour: EpochMs): Promise<DayCost[]> {
  return run(
    `SELECT hour / 86400000 AS day, CAST(sum(parts) AS BIGINT) AS parts, CAST(sum(cost) AS BIGINT) AS cost
     FROM carrier_totals WHERE carrier = $1 AND hour >= $2 GROUP BY 1 ORDER BY 1 DESC`,
    [carrier, hour],
  )
}

/** What a carrier is owed for the messages to one network. */
export type CarrierTotal = Omit<CarrierCost, 'hour'>

/** The carriers that have totals, one step of the primary key each: the hour is its second column. */
const CARRIERS = `WITH RECURSIVE carriers(carrier) AS (
  SELECT min(carrier) FROM carrier_totals
  UNION ALL SELECT (SELECT min(t.carrier) FROM carrier_totals t WHERE t.carrier > c.carrier) FROM carriers c
    WHERE c.carrier IS NOT NULL)`

/** What carriers are owed for some hours. PostgreSQL returns sums as text, so they are cast. */
export function costsBetween({ run }: Tx, since: EpochMs, before: EpochMs = FAR): Promise<CarrierTotal[]> {
  return run(
    `${CARRIERS}
     SELECT t.carrier, t.country, t.network, CAST(sum(t.parts) AS BIGINT) AS parts, CAST(sum(t.cost) AS BIGINT) AS cost
     FROM carriers c JOIN carrier_totals t ON t.carrier = c.carrier AND t.hour >= $1 AND t.hour < $2
     GROUP BY t.carrier, t.country, t.network ORDER BY t.carrier, t.country, t.network`,
    [since, before],
  )
}
