import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { deleteSlice } from '../../store/slices.ts'
import type { DeliveryCounts } from '../finish/tally.ts'

/** How messages ended: of a carrier, a country, or both. */
export interface Deliveries extends DeliveryCounts {
  name: string
}

const COUNTS = [
  'success',
  'undelivered',
  'expired',
  'rejected',
  'failed',
  'in5s',
  'in30s',
  'in2m',
  'in10m',
  'later',
]
const SUMS = COUNTS.map(
  (name) => `CAST(sum(${name}) AS BIGINT) AS ${name === name.toLowerCase() ? name : `"${name}"`}`,
)

/** How messages ended since an hour, by carrier, or by country: of all carriers, or of one. The most first. */
export function deliveriesBy(
  { run }: Tx,
  by: 'carrier' | 'country',
  since: EpochMs,
  carrier?: string,
): Promise<Deliveries[]> {
  const where = carrier === undefined ? 'hour >= $1' : 'hour >= $1 AND carrier = $2'
  return run(
    `SELECT ${by} AS name, ${SUMS.join(', ')} FROM carrier_deliveries WHERE ${where}
     GROUP BY ${by} ORDER BY sum(success + undelivered + expired + rejected + failed) DESC, ${by}`,
    carrier === undefined ? [since] : [since, carrier],
  )
}

/** How many messages ended in an hour. */
export interface HourDeliveries {
  hour: EpochMs
  delivered: number
  failed: number
}

/** The same by hour, the oldest first. */
export function deliveriesByHour({ run }: Tx, since: EpochMs, carrier?: string): Promise<HourDeliveries[]> {
  const where = carrier === undefined ? 'hour >= $1' : 'hour >= $1 AND carrier = $2'
  return run(
    `SELECT hour, CAST(sum(success) AS BIGINT) AS delivered,
       CAST(sum(undelivered + expired + rejected + failed) AS BIGINT) AS failed
     FROM carrier_deliveries WHERE ${where} GROUP BY hour ORDER BY hour`,
    carrier === undefined ? [since] : [since, carrier],
  )
}

export function endedOf({ success, undelivered, expired, rejected, failed }: DeliveryCounts): number {
  return success + undelivered + expired + rejected + failed
}

/** The share that was delivered; undefined where nothing ended. */
export function rateOf(counts: DeliveryCounts): number | undefined {
  const ended = endedOf(counts)
  return ended === 0 ? undefined : counts.success / ended
}

/** A carrier that delivers much less than it did. */
export interface FallenRate {
  carrier: string
  /** Of this hour and the one before. */
  now: number
  /** Of the week before. */
  before: number
}

/** Of fewer messages, a rate says little. */
const LEAST = 50
const FELL_BY = 0.2

/** The carriers that deliver at least a fifth of all messages less than in the week before. */
export async function fallenRates(tx: Tx, now: EpochMs): Promise<FallenRate[]> {
  const hour = now - (now % HOUR_MS)
  const recent = await deliveriesBy(tx, 'carrier', epochMs(hour - HOUR_MS))
  const week = new Map(
    (await deliveriesBy(tx, 'carrier', epochMs(Math.max(0, hour - 7 * DAY_MS)))).map((one) => [
      one.name,
      one,
    ]),
  )
  return recent.flatMap((one) => {
    const whole = week.get(one.name)
    if (!whole || one.name === '' || endedOf(one) < LEAST) return []
    const endedBefore = endedOf(whole) - endedOf(one)
    if (endedBefore < LEAST) return []
    const rates = { now: one.success / endedOf(one), before: (whole.success - one.success) / endedBefore }
    return rates.before - rates.now >= FELL_BY ? [{ carrier: one.name, ...rates }] : []
  })
}

/** Deletes a slice of what ended before an hour. True if there may be more. */
export function pruneDeliveries(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'carrier_deliveries',
    key: 'carrier, hour, country, network',
    where: 'hour < $1',
    values: [before],
    orderBy: 'hour',
  })
}
