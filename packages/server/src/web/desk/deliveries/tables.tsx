import {
  type Deliveries,
  deliveriesBy,
  deliveriesByHour,
  endedOf,
  type HourDeliveries,
  rateOf,
} from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { ReadOnlyDatabase } from '../../../store/database.ts'
import { countOf, percentOf } from '../../count.ts'
import { num, tableHead } from '../../widgets/table.tsx'
import { pathOf as carrierPath } from '../carriers/carrier.tsx'
import { firstHourOf, hoursChart } from './chart.tsx'

/** How far back the pages look. */
export const RANGES = {
  hour: { hours: 2, name: 'This hour and the one before' },
  day: { hours: 24, name: 'Last 24 hours' },
  week: { hours: 7 * 24, name: 'Last 7 days' },
} as const
export type Range = keyof typeof RANGES

export function rangeOf(text: string | undefined): Range {
  return text === 'hour' || text === 'week' ? text : 'day'
}

export interface DeliveriesRead {
  range: Range
  now: EpochMs
  carriers: readonly Deliveries[]
  countries: readonly Deliveries[]
  hours: readonly HourDeliveries[]
}

/** Of all carriers, or of one. */
export function readDeliveries(
  database: ReadOnlyDatabase,
  { range, now, carrier }: { range: Range; now: EpochMs; carrier?: string },
): Promise<DeliveriesRead> {
  const since = firstHourOf(RANGES[range].hours, now)
  return database.read(async (tx) => ({
    range,
    now,
    carriers: await deliveriesBy(tx, 'carrier', since, carrier),
    countries: await deliveriesBy(tx, 'country', since, carrier),
    hours: await deliveriesByHour(tx, since, carrier),
  }))
}

/** The choice of a range, on the page at this address. */
export function rangeLinks(path: string, chosen: Range): Markup {
  const ranges = Object.entries(RANGES) as [Range, (typeof RANGES)[Range]][]
  return (
    <nav class="together" aria-label="Since">
      {ranges.map(([range, { name }]) => (
        <a
          class="button second tiny"
          href={`${path}?since=${range}#deliveries`}
          aria-current={range === chosen ? 'true' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

/** A picture by hour, with what it adds up to. */
export function deliveriesPicture({ hours, range, now }: DeliveriesRead): Markup {
  const sums = hours.reduce(
    (sum, { delivered, failed }) => ({ delivered: sum.delivered + delivered, failed: sum.failed + failed }),
    { delivered: 0, failed: 0 },
  )
  const ended = sums.delivered + sums.failed
  const { hours: count, name } = RANGES[range]
  const rate = percentOf(sums.delivered, ended)
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Ended</dt>
          <dd>{countOf(ended)}</dd>
        </div>
        <div>
          <dt>Delivered</dt>
          <dd>{countOf(sums.delivered)}</dd>
        </div>
        <div>
          <dt>Not delivered</dt>
          <dd>{countOf(sums.failed)}</dd>
        </div>
        <div>
          <dt>Rate</dt>
          <dd>{rate}</dd>
        </div>
      </dl>
      {ended > 0 &&
        hoursChart(hours, {
          hours: count,
          now,
          label: `${name}: ${countOf(ended)} messages ended, ${rate} delivered`,
        })}
      <p class="legend soft small">
        <span class="key">Delivered</span>
        <span class="key failed">Not delivered</span>
        <span class="end">By the hour in which they ended</span>
      </p>
    </>
  )
}

/** One line for each carrier or country: how messages ended, and how soon. */
export function deliveriesTable(what: 'Carrier' | 'Country', rows: readonly Deliveries[]): Markup {
  if (rows.length === 0) return <p class="soft">No message ended in this time.</p>
  return (
    <table>
      <caption class="unseen">Deliveries by {what.toLowerCase()}</caption>
      {tableHead(
        what,
        num('Ended'),
        num('Delivered'),
        num('Rate'),
        num('Undelivered'),
        num('Expired'),
        num('Rejected'),
        num('Failed'),
        num('Half within'),
        num('In 30 s'),
      )}
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row" class="plain">
              {nameOf(what, row.name)}
            </th>
            <td class="num">{countOf(endedOf(row))}</td>
            <td class="num">{countOf(row.success)}</td>
            <td class={`num${isLow(row) ? ' bad strong' : ''}`}>{percentOf(row.success, endedOf(row))}</td>
            <td class="num">{countOf(row.undelivered)}</td>
            <td class="num">{countOf(row.expired)}</td>
            <td class="num">{countOf(row.rejected)}</td>
            <td class="num">{countOf(row.failed)}</td>
            <td class="num">{halfWithin(row)}</td>
            <td class="num">{percentOf(row.in5s + row.in30s, timedOf(row))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function nameOf(what: 'Carrier' | 'Country', name: string): Markup | string {
  if (what === 'Country') return name
  if (name === '') return 'Without a carrier'
  return (
    <a href={carrierPath(name)}>
      <bdi>{name}</bdi>
    </a>
  )
}

/** Of fewer, a rate says little. */
const LEAST = 20

function isLow(row: Deliveries): boolean {
  return endedOf(row) >= LEAST && (rateOf(row) ?? 1) < 0.5
}

/** The delivered ones of which it is known how long the receipt took. */
function timedOf({ in5s, in30s, in2m, in10m, later }: Deliveries): number {
  return in5s + in30s + in2m + in10m + later
}

/** The time within which half of the receipts came. */
function halfWithin(row: Deliveries): string {
  const half = timedOf(row) / 2
  if (half === 0) return '–'
  let sum = 0
  for (const [count, name] of [
    [row.in5s, '5 s'],
    [row.in30s, '30 s'],
    [row.in2m, '2 min'],
    [row.in10m, '10 min'],
  ] as const) {
    sum += count
    if (sum >= half) return name
  }
  return 'longer'
}
