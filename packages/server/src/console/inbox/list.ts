import { type Markup, markup } from '../../platform/pages/markup.ts'
import { liveAddress } from './address.ts'
import { type ListedMessage, messageRow, type RowPlace } from './row.ts'

export interface ListView extends Omit<RowPlace, 'open'> {
  currency: string
  rows: readonly ListedMessage[]
  /** The message that is open beside the list. */
  open?: string | undefined
  /** Where older messages are; undefined on the last page. */
  older: string | undefined
  /** Where the newest messages are, when these are older ones. */
  newest?: string | undefined
  exportHref: string
  /** New messages come in by themselves: on the first page alone. */
  live?: boolean
}

/** The table of messages. Without rows it is not shown, and there for the first that comes in. */
export function messageList(view: ListView): Markup {
  const { rows, open, currency, older, newest, exportHref, live, ...place } = view
  return markup`<div class="sheet flush"><table class="list cards" role="table"><caption class="unseen">Messages, newest first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w-state">Status</th><th role="columnheader" scope="col" class="w-phone">To</th><th role="columnheader" scope="col" class="widest w-name">From</th><th role="columnheader" scope="col">Text</th><th role="columnheader" scope="col" class="widest w-number num">Segments</th><th role="columnheader" scope="col" class="widest w-name">Callback</th><th role="columnheader" scope="col" class="w-number num">${currency}</th><th role="columnheader" scope="col" class="w-time num">Time, UTC</th></tr></thead>
<tbody role="rowgroup" id="rows"${live && liveData(place.q, rows)}>${rows.map((row) => messageRow(row, { ...place, open: row.id === open }))}</tbody></table>
<div class="pages"><a href="${exportHref}">Export CSV</a><span class="end">${newest !== undefined && markup`<a href="${newest}">Newest messages</a>`}${older !== undefined && markup`<a id="older" href="${older}">Older messages</a>`}</span></div></div>`
}

/** What the script of the live stream needs: where it is, and the newest message that the page has. */
export function liveData(q: string, [newest]: readonly ListedMessage[]): Markup {
  return markup` data-live="${liveAddress(q)}" data-last="${newest?.id ?? ''}"`
}
