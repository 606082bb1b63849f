import type { Micros } from '@wigwag/contract'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { CsvRow } from '../../../kernel/process/csv-reader.ts'
import { countChanges, RATES_COLUMNS, type RateChange, type RatesFile } from '../../../money/index.ts'
import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, several } from '../../count.ts'
import { dayAndTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { ending, hiddenFields } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'
import { countryCell, networkCell } from './page.tsx'

/** More lines than anybody mends in one go. */
const MOST_MISTAKES = 100

/** Errors of a price list: of the whole, or of its lines. */
export interface Wrong {
  whole?: string
  lines?: readonly { line: CsvRow<never>['line']; why: string }[]
}

const HINT = [
  `The first line is ${RATES_COLUMNS.join(',')}.`,
  'A line without mcc, mnc and network is for the rest of its country. At most 1 MiB.',
].join(' ')

export function importPage({ form }: Visit, text: string, wrong?: Wrong): Page {
  return {
    title: wrong ? 'Error: Import prices' : 'Import prices',
    place: 'prices',
    middle: true,
    status: wrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Import prices</h1>
        </div>
        {wrong && mistakes(wrong)}
        <section class="sheet">
          <p>
            The list replaces all prices in force. The next page shows what would change; nothing changes
            before that.
          </p>
          <form method="post" action="/prices/check" enctype="multipart/form-data">
            {hiddenFields(form, {})}
            {field({ id: 'file', label: 'A CSV file', hint: HINT }, (ties) => (
              <input class="box" type="file" {...ties} name="file" accept=".csv,.txt,text/csv,text/plain" />
            ))}
            {field({ id: 'csv', label: 'Or its lines', error: wrong?.whole }, (ties) => (
              <textarea
                class="box mono"
                {...ties}
                name="csv"
                rows={8}
                spellcheck={false}
                placeholder={RATES_COLUMNS.join(',')}
              >{`\n${text}`}</textarea>
            ))}
            {ending(<button>See what would change</button>, '/prices')}
          </form>
        </section>
      </>
    ),
  }
}

function mistakes({ whole, lines = [] }: Wrong): Markup {
  if (whole !== undefined)
    return (
      <div class="note bad" role="alert">
        <p>
          <span class="strong">Nothing was changed.</span> <a href="#csv">{whole}</a>
        </p>
      </div>
    )
  const shown = lines.slice(0, MOST_MISTAKES)
  return (
    <div class="note bad" role="alert">
      <p>
        <span class="strong">
          Nothing was changed: {several(lines.length, 'line is', 'lines are')} wrong.
        </span>
      </p>
      <ul>
        {shown.map(({ line, why }) => (
          <li>
            Line {countOf(line)}: <bdi>{why}</bdi>
          </li>
        ))}
      </ul>
      {lines.length > shown.length && <p>These are the first {String(shown.length)}.</p>}
    </div>
  )
}

/** More changes than anybody reads. */
const MOST_CHANGES = 2_000

export interface CompareView {
  visit: Visit
  list: {
    prices: number
    unused: RatesFile['unused']
  }
  /** The form that puts it in force. */
  form: {
    action: string
    /** Names the list, or carries it. */
    fields: Markup
  }
  changes: readonly RateChange[]
  /** The version that it was compared with, and since when that is in force. */
  version: string
  since: EpochMs | undefined
  /** Whether the prices in force changed after they were shown. */
  hasChangedMeanwhile: boolean
}

/** The changes that a price list would make, side by side. */
export function comparePage(view: CompareView): Page {
  const { visit, list, form, changes, version, since, hasChangedMeanwhile } = view
  const { added, removed, dearer, cheaper } = countChanges(changes)
  const figure = (name: string, count: number) => (
    <div>
      <dt>{name}</dt>
      <dd>{countOf(count)}</dd>
    </div>
  )
  return {
    title: 'What would change',
    place: 'prices',
    status: hasChangedMeanwhile ? 409 : 200,
    body: (
      <>
        <div class="head">
          <h1>What would change</h1>
          {since !== undefined && (
            <span class="soft">compared with the prices in force since {dayAndTime(since)}</span>
          )}
        </div>
        {hasChangedMeanwhile && (
          <div class="note warn" role="alert">
            <p>
              <span class="strong">Nothing was changed:</span> the prices in force were changed meanwhile.
              This compares with those that are in force now.
            </p>
          </div>
        )}
        <dl class="sheet figures">
          {figure('Dearer', dearer)}
          {figure('Cheaper', cheaper)}
          {figure('New', added)}
          {figure('Gone', removed)}
          <div>
            <dt>In the list</dt>
            <dd>{several(list.prices, 'price')}</dd>
          </div>
        </dl>
        {removed > 0 && (
          <div class="note warn">
            <p>{several(removed, 'price')} would be gone. Where a country has none, nothing can be sent.</p>
          </div>
        )}
        {list.unused.length > 0 && (
          <div class="note">
            <p>{several(list.unused.length, 'price is', 'prices are')} kept but not used yet:</p>
            <ul>
              {list.unused.slice(0, MOST_MISTAKES).map(({ line, why }) => (
                <li>
                  Line {countOf(line)}: {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        {changes.length === 0 ? (
          <section class="sheet">
            <p>The list has the prices that are in force.</p>
          </section>
        ) : (
          table(changes)
        )}
        <section class="sheet">
          <form method="post" action={form.action} enctype="multipart/form-data">
            {hiddenFields(visit.form, { version })}
            {form.fields}
            <p>
              The list replaces all prices at once, for every gateway. What was sent keeps the price that it
              had. The list before is kept with the <a href="/prices/earlier">earlier lists</a>.
            </p>
            {ending(<button>Put {several(list.prices, 'price')} in force</button>, '/prices')}
          </form>
        </section>
      </>
    ),
  }
}

/** The lines of a list, which its form posts as they were checked. */
export function listField(text: string): Markup {
  return <textarea hidden name="csv" aria-hidden="true">{`\n${text}`}</textarea>
}

export function numberField(list: number): Markup {
  return <input type="hidden" name="list" value={String(list)} />
}

function table(changes: readonly RateChange[]): Markup {
  const shown = changes.slice(0, MOST_CHANGES)
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Changes">
      <table>
        <caption class="unseen">Prices that would change</caption>
        {tableHead('Country', 'Network', num('Now'), num('Then'), num('Change'))}
        <tbody>
          {shown.map((change) => (
            <tr>
              <th scope="row" class="plain">
                {countryCell(change.country)}
              </th>
              <td class="plain">{networkCell(change)}</td>
              <td class="num">{priceOr(change.before, change)}</td>
              <td class="num">{priceOr(change.after, change)}</td>
              <td class="num">{difference(change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > shown.length && (
        <div class="pages">
          These are the first {countOf(shown.length)} of {countOf(changes.length)}. On the machine: wigwag
          rates diff shows them all.
        </div>
      )}
    </section>
  )
}

function priceOr(price: Micros | undefined, { currency }: Pick<RateChange, 'currency'>): Markup | string {
  return price === undefined ? <span class="soft">none</span> : money(price, currency)
}

/** `+ 12.5 %` */
function difference({ before, after }: RateChange): string {
  if (before === undefined) return 'new'
  if (after === undefined) return 'gone'
  if (before === 0) return 'no longer free'
  const share = (100 * Math.abs(after - before)) / before
  return `${after > before ? '+' : '−'} ${share < 0.1 ? 'under 0.1' : share.toFixed(1)} %`
}
