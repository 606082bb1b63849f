import type { DayTotals } from '../../../messages/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, percentOf } from '../../count.ts'
import { num, tableHead } from '../../widgets/table.tsx'
import type { CustomerView } from './sheets.tsx'

interface Sums {
  sent: number
  delivered: number
  failed: number
}

/** How the customer's messages ended, by country. */
export function deliveriesSheet({ customer: { sent } }: CustomerView): Markup {
  const [day, week] = [byCountry(sent.day), byCountry(sent.week)]
  if (week.size === 0)
    return (
      <section class="sheet">
        <h2>Deliveries</h2>
        <p>It sent nothing within seven days.</p>
      </section>
    )
  const countries = [...week].sort(([, a], [, b]) => b.sent - a.sent)
  const rate = (sums: Sums | undefined) =>
    sums ? percentOf(sums.delivered, sums.delivered + sums.failed) : '–'
  return (
    <section class="sheet flush wide-table" id="deliveries" tabindex={0} role="group" aria-label="Deliveries">
      <table>
        <caption class="unseen">Deliveries by country</caption>
        {tableHead(
          'Country',
          num('Sent in 24 h'),
          num('Rate'),
          num('Sent in 7 days'),
          num('Not delivered'),
          num('Rate'),
        )}
        <tbody>
          {countries.map(([country, sums]) => (
            <tr>
              <th scope="row" class="plain">
                {country}
              </th>
              <td class="num">{countOf(day.get(country)?.sent ?? 0)}</td>
              <td class="num">{rate(day.get(country))}</td>
              <td class="num">{countOf(sums.sent)}</td>
              <td class="num">{countOf(sums.failed)}</td>
              <td class="num">{rate(sums)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function byCountry(totals: readonly DayTotals[]): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const { country, sent, delivered, failed } of totals) {
    const sum = sums.get(country) ?? { sent: 0, delivered: 0, failed: 0 }
    sums.set(country, {
      sent: sum.sent + sent,
      delivered: sum.delivered + delivered,
      failed: sum.failed + failed,
    })
  }
  return sums
}
