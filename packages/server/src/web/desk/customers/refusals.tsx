import type { RefusalsOfHour } from '../../../accounts/index.ts'
import { catalogue } from '../../../kernel/errors.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { num, tableHead } from '../../widgets/table.tsx'
import type { CustomerView } from './sheets.tsx'

/** How many of the customer's requests were refused, by code. */
export function refusalsSheet({ customer: { refusals }, now }: CustomerView): Markup | false {
  if (refusals.length === 0) return false
  const today = now - (now % DAY_MS)
  const count = (some: readonly RefusalsOfHour[]) =>
    countOf(some.reduce((total, { refused }) => total + refused, 0))
  return (
    <section
      class="sheet flush wide-table"
      id="refused"
      tabindex={0}
      role="group"
      aria-label="Refused requests"
    >
      <table>
        <caption>Refused requests to the API</caption>
        {tableHead('Why', num('Today'), num('In 7 days'))}
        <tbody>
          {[...Map.groupBy(refusals, ({ code }) => code)].map(([code, hours]) => (
            <tr>
              <th scope="row" class="plain">
                {meaningOf(code)} <code class="soft">{code}</code>
              </th>
              <td class="num">{count(hours.filter(({ hour }) => hour >= today))}</td>
              <td class="num">{count(hours)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function meaningOf(code: string): string {
  const found = Object.entries(catalogue).find(([known]) => known === code)
  return found ? `${found[1][0]} ${found[1][1]}` : ''
}
