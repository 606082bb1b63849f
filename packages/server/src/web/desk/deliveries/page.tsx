import { accountsWith } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { type AccountTotal, totalsByAccount } from '../../../messages/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { ReadOnlyDatabase } from '../../../store/database.ts'
import { countOf, percentOf } from '../../count.ts'
import { num, tableHead } from '../../widgets/table.tsx'
import { pathOf as customerPath } from '../customers/words.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { firstHourOf } from './chart.tsx'
import {
  type DeliveriesRead,
  deliveriesPicture,
  deliveriesTable,
  RANGES,
  rangeLinks,
  rangeOf,
  readDeliveries,
} from './tables.tsx'

/** Customers on the page. */
const MOST = 50

type Customer = AccountTotal & { name: string }

/** How messages end, by carrier, country and customer. */
export function mountDeliveries(pages: Pages, { database, clock }: DeskParts): void {
  pages.show('/deliveries', LOOK, async ({ c }) => {
    const [range, now] = [rangeOf(c.req.query('since')), clock.now()]
    const read = await readDeliveries(database, { range, now })
    return deliveriesPage(read, await readCustomers(database, firstHourOf(RANGES[range].hours, now)))
  })
}

function readCustomers(database: ReadOnlyDatabase, since: EpochMs): Promise<Customer[]> {
  return database.read(async (tx) => {
    const totals = await totalsByAccount(tx, since, MOST)
    const accounts = await accountsWith(
      tx,
      totals.map(({ accountId }) => accountId),
    )
    return totals.map((total) => ({ ...total, name: accounts.get(total.accountId)?.name ?? total.accountId }))
  })
}

function deliveriesPage(read: DeliveriesRead, customers: readonly Customer[]): Page {
  return {
    title: 'Deliveries',
    place: 'deliveries',
    body: (
      <>
        <div class="head">
          <h1>Deliveries</h1>
          <span class="end">{rangeLinks('/deliveries', read.range)}</span>
        </div>
        <section class="sheet" id="deliveries">
          {deliveriesPicture(read)}
        </section>
        <h2>By carrier</h2>
        <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="By carrier">
          {deliveriesTable('Carrier', read.carriers)}
        </section>
        <h2>By country</h2>
        <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="By country">
          {deliveriesTable('Country', read.countries)}
        </section>
        <h2>By customer</h2>
        <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="By customer">
          {customersTable(customers)}
        </section>
        <p class="soft small">
          Carriers and countries by the hour in which messages ended, customers by the hour in which they were
          accepted. A gateway stores what it counted every ten seconds.
        </p>
      </>
    ),
  }
}

function customersTable(customers: readonly Customer[]): Markup {
  if (customers.length === 0) return <p class="soft">No customer sent anything in this time.</p>
  return (
    <table>
      <caption class="unseen">Deliveries by customer</caption>
      {tableHead(
        'Customer',
        num('Accepted'),
        num('Delivered'),
        num('Not delivered'),
        num('Under way'),
        num('Rate'),
      )}
      <tbody>
        {customers.map(({ accountId, name, sent, delivered, failed }) => (
          <tr>
            <th scope="row" class="plain">
              <a href={customerPath({ id: accountId })}>
                <bdi>{name}</bdi>
              </a>
            </th>
            <td class="num">{countOf(sent)}</td>
            <td class="num">{countOf(delivered)}</td>
            <td class="num">{countOf(failed)}</td>
            <td class="num">{countOf(sent - delivered - failed)}</td>
            <td class="num">{percentOf(delivered, delivered + failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
