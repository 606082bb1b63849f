import type { RatePlace, RatesInForce } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Tables } from '../../../store/schema/schema.ts'
import { several } from '../../count.ts'
import { dayAndTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { countryName } from '../../widgets/phone.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Page } from '../frame/visit.ts'

export const LONGEST_SEARCH = 100

export interface PricesView {
  inForce: RatesInForce
  rates: readonly Tables['rates']['$inferSelect'][]
  /** Where the next page begins; undefined on the last. */
  next: string | undefined
  search: string
  /** Whether the page begins later than with the first price. */
  isLater: boolean
  mayAct: boolean
  /** Whether they were just put in force. */
  isDone: boolean
}

export function pricesPage(view: PricesView): Page {
  const { inForce, rates, search, mayAct, isDone } = view
  return {
    title: 'Prices',
    place: 'prices',
    body: (
      <>
        <div class="head">
          <h1>Prices</h1>
          <span class="soft">of one segment</span>
          <span class="end">
            {mayAct && (
              <a class="button" href="/prices/import">
                Import prices
              </a>
            )}
            {inForce.count > 0 && (
              <a class="button second" href="/prices/file.csv" download>
                Export CSV
              </a>
            )}
            <a class="button second" href="/prices/earlier">
              Earlier lists
            </a>
          </span>
        </div>
        {isDone && (
          <div class="note good" role="status">
            <p>
              The new prices are in force. Gateways take them within a few seconds. The list before is with
              the <a href="/prices/earlier">earlier lists</a>.
            </p>
          </div>
        )}
        {inForce.sample && (
          <div class="note warn">
            <p>These are the built-in sample: invented prices, for trials only.</p>
          </div>
        )}
        {standing(inForce)}
        <form class="sheet" method="get" action="/prices" role="search" aria-label="Prices">
          <label for="q">Search</label>
          <span class="hint" id="q-hint">
            A country, its code, a number, or how numbers begin, such as 23324
          </span>
          <div class="together">
            <input
              class="box search"
              id="q"
              name="q"
              type="search"
              value={search}
              maxlength={LONGEST_SEARCH}
              aria-describedby="q-hint"
              autocomplete="off"
              spellcheck={false}
            />
            <button>Search</button>
            {search !== '' && <a href="/prices">Show all</a>}
          </div>
        </form>
        {rates.length === 0 ? (
          <section class="sheet">
            <p>
              {search === '' ? (
                'There are no prices, so nothing can be sent.'
              ) : (
                <>
                  There is no price for “<bdi>{search}</bdi>”, so nothing is sent there.
                </>
              )}
            </p>
          </section>
        ) : (
          list(view)
        )}
      </>
    ),
  }
}

function standing({ since, count, currencies }: RatesInForce): Markup | undefined {
  if (count === 0) return undefined
  return (
    <dl class="sheet figures">
      <div>
        <dt>In force since</dt>
        <dd>{since === undefined ? 'not known' : dayAndTime(since)}</dd>
      </div>
      <div>
        <dt>Prices</dt>
        <dd>{several(count, 'price')}</dd>
      </div>
      <div>
        <dt>{currencies.length === 1 ? 'Currency' : 'Currencies'}</dt>
        <dd>{currencies.join(', ')}</dd>
      </div>
    </dl>
  )
}

function list({ rates, next, search, isLater }: PricesView): Markup {
  const at = (query: Record<string, string>) => {
    const given = new URLSearchParams({ ...(search !== '' && { q: search }), ...query })
    return given.size === 0 ? '/prices' : `/prices?${given}`
  }
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Prices">
      <table>
        <caption class="unseen">Prices, by currency and country</caption>
        {tableHead('Country', 'Network', num('Price'))}
        <tbody>
          {rates.map((rate) => (
            <tr>
              <th scope="row" class="plain">
                {countryCell(rate.country)}
              </th>
              <td class="plain">{networkCell(rate)}</td>
              <td class="num">{money(rate.price, rate.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(next !== undefined || isLater) && (
        <div class="pages">
          {isLater && <a href={at({})}>First prices</a>}
          {next !== undefined && (
            <a class="end" href={at({ after: next })}>
              Next prices
            </a>
          )}
        </div>
      )}
    </section>
  )
}

export function countryCell(code: string): Markup {
  return (
    <>
      {countryName(code)} <span class="soft">{code}</span>
    </>
  )
}

interface Place extends Pick<RatePlace, 'country'> {
  mcc?: string
  mnc?: string
  network?: string
}

/** A network with its codes. */
export function networkCell({ mcc = '', mnc = '', network = '' }: Place): Markup {
  if (mcc === '') return <span class="soft">all others</span>
  return (
    <>
      <bdi>{network}</bdi>{' '}
      <span class="soft nums">
        {mcc} {mnc}
      </span>
    </>
  )
}
