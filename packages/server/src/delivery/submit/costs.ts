import { type Micros, micros } from '@wigwag/contract'
import type { EpochMs } from '../../kernel/ids.ts'
import type { OutgoingMessage } from '../../kernel/message.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { type NewRefs, type StoredRefs, storeRefs } from '../finish/refs.ts'

/** The amount owed to a carrier for the parts of a message that it took. */
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

/** The references of the parts of a message that a carrier took. */
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
