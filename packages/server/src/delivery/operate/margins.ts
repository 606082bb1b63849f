import type { EpochMs } from '../../domain/ids.ts'
import { type NetworkTotal, totalsByNetwork } from '../../messages/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type CarrierTotal, costsBetween } from '../submit/costs.ts'

/** What carriers are owed and what customers were charged, of some time. */
export interface Costs {
  costs: readonly CarrierTotal[]
  /** In which customers paid. */
  currencies: readonly string[]
  networks: readonly Margin[]
}

/** What is known of the messages to one network. */
export interface Margin {
  country: string
  network: string
  /** What customers sent, by its outcome so far. */
  totals: readonly NetworkTotal[]
  /** Those by currency. Empty when nothing was charged. */
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
