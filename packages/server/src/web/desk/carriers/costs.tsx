import { type Costs, costsByDay, type DayCost, type Margin, readCosts } from '../../../delivery/index.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { DAY_MS, utcDay } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { ReadOnlyDatabase } from '../../../store/database.ts'
import { countOf } from '../../count.ts'
import { dayOf } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { amount, pathOf } from './carrier.tsx'

const DAYS = 31

/** The costs of a carrier: of the last days, and of one day in detail. */
interface Owed {
  /** The amounts, by day. */
  days: readonly DayCost[]
  /** The day shown in detail, and its costs. */
  day: number
  costs: Costs
}

/** Of the last days, and of the one that the address asks for, or today. */
export async function readOwed(
  database: ReadOnlyDatabase,
  carrier: string,
  asked: string | undefined,
  now: EpochMs,
): Promise<Owed> {
  const today = utcDay(now)
  const time = Date.parse(asked ?? '')
  const day = Number.isNaN(time) ? today : Math.min(today, Math.max(0, utcDay(time)))
  return database.read(async (tx) => ({
    days: await costsByDay(tx, carrier, epochMs((today - DAYS + 1) * DAY_MS)),
    day,
    costs: await readCosts(tx, epochMs(day * DAY_MS), epochMs((day + 1) * DAY_MS)),
  }))
}

export function byDay(name: string, { days, day }: Owed): Markup {
  if (days.length === 0)
    return (
      <section class="sheet">
        <h2>What it is owed</h2>
        <p>Nothing is known of the last 31 days: it took nothing, or no route says what a part costs.</p>
      </section>
    )
  return (
    <section class="sheet flush">
      <table>
        <caption class="unseen">What it is owed, by day</caption>
        {tableHead('Day', num('Parts'), num('Owed'))}
        <tbody>
          {days.map((one) => (
            <tr aria-current={one.day === day ? 'true' : undefined}>
              <th scope="row" class="plain">
                <a href={`${pathOf(name)}?day=${isoDay(one.day)}#day`}>{dayOf(one.day * DAY_MS)}</a>
              </th>
              <td class="num">{countOf(one.parts)}</td>
              <td class="num">{amount(one.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The networks to which it took messages, with all that customers sent there: outcomes are not counted by carrier. */
export function ofDay(name: string, { day, costs: { costs, networks, currencies } }: Owed): Markup {
  const own = costs.filter(({ carrier }) => carrier === name)
  const date = dayOf(day * DAY_MS)
  if (own.length === 0)
    return (
      <section class="sheet" id="day">
        <h2>{date}</h2>
        <p>Nothing is known to be owed for this day.</p>
      </section>
    )
  const note =
    currencies.length > 1
      ? `Customers paid in ${currencies.join(', ')}, and costs have no currency, so there is no margin.`
      : 'Costs have no currency: the margin is right if they are in the one in which customers paid.'
  return (
    <>
      <section class="sheet" id="day">
        <h2>{date}</h2>
        <p class="soft">
          {note} What customers were charged is known by network, not by carrier: the last four columns are of
          all carriers.
        </p>
      </section>
      <section class="sheet flush wide-table" tabindex={0} role="group" aria-label={`By network on ${date}`}>
        <table>
          <caption class="unseen">By network on {date}</caption>
          {tableHead(
            'Network',
            num('Parts it took'),
            num('Owed to it'),
            num('Owed to all'),
            num('Charged'),
            num('Margin'),
            num('Accepted'),
            num('Delivered'),
            num('Not delivered'),
          )}
          <tbody>
            {own.map(({ country, network, parts, cost }) => {
              const found = networks.find((one) => one.country === country && one.network === network)
              const sum = (key: 'sent' | 'delivered' | 'failed') =>
                countOf((found?.totals ?? []).reduce((total, one) => total + one[key], 0))
              return (
                <tr>
                  <th scope="row" class="plain">
                    {[country, network].filter((word) => word !== '').join(' ')}
                  </th>
                  <td class="num">{countOf(parts)}</td>
                  <td class="num">{amount(cost)}</td>
                  <td class="num">{amount(found?.owed)}</td>
                  <td class="num">{charged(found)}</td>
                  <td class="num">{amount(found?.margin)}</td>
                  <td class="num">{sum('sent')}</td>
                  <td class="num">{sum('delivered')}</td>
                  <td class="num">{sum('failed')}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </>
  )
}

function charged(found: Margin | undefined): Markup {
  if (!found || found.charged.length === 0) return <>–</>
  return (
    <>
      {found.charged.map(({ spend, currency }) => (
        <div>{money(spend, currency)}</div>
      ))}
    </>
  )
}
