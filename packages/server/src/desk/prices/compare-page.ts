import type { Micros } from '@wigwag/contract'
import type { EpochMs } from '../../domain/ids.ts'
import { countChanges, type RateChange, type RatesFile } from '../../money/index.ts'
import { countOf, several } from '../../pages/count.ts'
import { dayAndTime } from '../../pages/times.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { MOST_MISTAKES } from './import-page.ts'
import { countryCell, networkCell } from './page.ts'

/** More changes than anybody reads. */
const MOST_CHANGES = 2_000

export interface CompareView {
  visit: Visit
  text: string
  file: RatesFile
  changes: readonly RateChange[]
  /** The version that it was compared with, and since when that is in force. */
  version: string
  since: EpochMs | undefined
  /** Whether the prices in force changed after they were shown. */
  hasChangedMeanwhile: boolean
}

/** What would change, side by side, before it does. */
export function comparePage(view: CompareView): Page {
  const { visit, text, file, changes, version, since, hasChangedMeanwhile } = view
  const { added, removed, dearer, cheaper } = countChanges(changes)
  const figure = (name: string, count: number) =>
    markup`<div><dt>${name}</dt><dd>${countOf(count)}</dd></div>`
  return {
    title: 'What would change',
    place: 'prices',
    status: hasChangedMeanwhile ? 409 : 200,
    body: markup`<div class="head"><h1>What would change</h1>${since !== undefined && markup`<span class="soft">compared with the prices in force since ${dayAndTime(since)}</span>`}</div>
${hasChangedMeanwhile && markup`<div class="note warn" role="alert"><p><span class="strong">Nothing was imported:</span> the prices in force were changed meanwhile. This compares with those that are in force now.</p></div>`}
<dl class="sheet figures">${figure('Dearer', dearer)}${figure('Cheaper', cheaper)}${figure('New', added)}${figure('Gone', removed)}<div><dt>In the list</dt><dd>${several(file.rates.length, 'price')}</dd></div></dl>
${removed > 0 && markup`<div class="note warn"><p>${several(removed, 'price')} would be gone. Where a country has none, nothing can be sent.</p></div>`}
${file.unused.length > 0 && markup`<div class="note"><p>${several(file.unused.length, 'price is', 'prices are')} kept but not used yet:</p><ul>${file.unused.slice(0, MOST_MISTAKES).map(({ line, why }) => markup`<li>Line ${countOf(line)}: ${why}</li>`)}</ul></div>`}
${changes.length === 0 ? markup`<section class="sheet"><p>The list has the prices that are in force.</p></section>` : table(changes)}
<section class="sheet"><form method="post" action="/prices/import" enctype="multipart/form-data">${hiddenFields(visit.form, { version })}<textarea hidden name="csv" aria-hidden="true">\n${text}</textarea>
<p>The list replaces all prices at once, for every gateway. What was sent keeps the price that it had.</p>
${ending(markup`<button>Put ${several(file.rates.length, 'price')} in force</button>`, '/prices')}</form></section>`,
  }
}

function table(changes: readonly RateChange[]): Markup {
  const shown = changes.slice(0, MOST_CHANGES)
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Changes"><table><caption class="unseen">Prices that would change</caption><thead><tr><th scope="col">Country</th><th scope="col">Network</th><th scope="col" class="num">Now</th><th scope="col" class="num">Then</th><th scope="col" class="num">Change</th></tr></thead><tbody>${shown.map(
    (change) =>
      markup`<tr><th scope="row" class="plain">${countryCell(change.country)}</th><td class="plain">${networkCell(change)}</td><td class="num">${priceOr(change.before, change)}</td><td class="num">${priceOr(change.after, change)}</td><td class="num">${difference(change)}</td></tr>`,
  )}</tbody></table>${changes.length > shown.length && markup`<div class="pages">These are the first ${countOf(shown.length)} of ${countOf(changes.length)}. On the machine: wigwag rates diff shows them all.</div>`}</section>`
}

function priceOr(price: Micros | undefined, { currency }: Pick<RateChange, 'currency'>): Markup {
  return price === undefined ? markup`<span class="soft">none</span>` : markup`${currency} ${amountOf(price)}`
}

/** `+ 12.5 %` */
function difference({ before, after }: RateChange): string {
  if (before === undefined) return 'new'
  if (after === undefined) return 'gone'
  if (before === 0) return 'no longer free'
  const share = (100 * Math.abs(after - before)) / before
  return `${after > before ? '+' : '−'} ${share < 0.1 ? 'under 0.1' : share.toFixed(1)} %`
}
