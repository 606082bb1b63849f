import { RATES_COLUMNS } from '../../money/index.ts'
import { countOf, several } from '../../pages/count.ts'
import type { CsvRow } from '../../platform/csv.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'

/** More lines than anybody mends in one go. */
export const MOST_MISTAKES = 100

/** What is wrong with a price list: as a whole, or its lines. */
export interface Wrong {
  whole?: string
  lines?: readonly { line: CsvRow<never>['line']; why: string }[]
}

const HINT = `The first line is ${RATES_COLUMNS.join(',')}. A line without mcc, mnc and network is for the rest of its country. At most 1 MiB.`

export function importPage({ form }: Visit, text: string, wrong?: Wrong): Page {
  return {
    title: wrong ? 'Error: Import prices' : 'Import prices',
    place: 'prices',
    middle: true,
    status: wrong ? 422 : 200,
    body: markup`<div class="head"><h1>Import prices</h1></div>
${wrong && mistakes(wrong)}
<section class="sheet"><p>The list replaces all prices in force. The next page shows what would change; nothing changes before that.</p>
<form method="post" action="/prices/check" enctype="multipart/form-data">${hiddenFields(form, {})}
${field({ id: 'file', label: 'A CSV file', hint: HINT }, (ties) => markup`<input class="box" type="file" ${ties} name="file" accept=".csv,.txt,text/csv,text/plain">`)}
${field({ id: 'csv', label: 'Or its lines', error: wrong?.whole }, (ties) => markup`<textarea class="box mono" ${ties} name="csv" rows="8" spellcheck="false" placeholder="${RATES_COLUMNS.join(',')}">\n${text}</textarea>`)}
${ending(markup`<button>See what would change</button>`, '/prices')}</form></section>`,
  }
}

function mistakes({ whole, lines = [] }: Wrong): Markup {
  if (whole !== undefined)
    return markup`<div class="note bad" role="alert"><p><span class="strong">Nothing was changed.</span> <a href="#csv">${whole}</a></p></div>`
  const shown = lines.slice(0, MOST_MISTAKES)
  return markup`<div class="note bad" role="alert"><p><span class="strong">Nothing was changed: ${several(lines.length, 'line is', 'lines are')} wrong.</span></p><ul>${shown.map(({ line, why }) => markup`<li>Line ${countOf(line)}: <bdi>${why}</bdi></li>`)}</ul>${lines.length > shown.length && markup`<p>These are the first ${String(shown.length)}.</p>`}</div>`
}
