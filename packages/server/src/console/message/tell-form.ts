import type { CarrierVerdict } from '../../delivery/index.ts'
import { wordOf } from '../../pages/widgets/state.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { PaneView } from './read.ts'

/** The ways in which a carrier can report a failure. */
export const FAILURES = [
  'undelivered',
  'expired',
  'rejected',
  'failed',
] as const satisfies readonly CarrierVerdict[]

/** Numbers for which the simulated carrier sends no receipt. */
const SILENT = '00005'

/** In the sandbox the person may send the receipt that the carrier has not sent. */
export function tellForm({ message: { id, recipient }, form, q }: PaneView): Markup {
  const why = recipient.endsWith(SILENT)
    ? markup`<span class="strong">It waits to be told.</span> Numbers that end in <code>${SILENT}</code> do.`
    : markup`<span class="strong">It is under way.</span> You need not wait for the carrier.`
  const ways = FAILURES.map((one) => markup`<option value="${one}">${wordOf(one).toLowerCase()}</option>`)
  return markup`<form class="note warn together" method="post" action="/messages/${id}/tell">${ticketField(form)}<input type="hidden" name="q" value="${q}"><span>${why}</span><span class="end"><button class="tiny" name="verdict" value="success">Deliver now</button><label class="unseen" for="how">Fail as</label><select class="box short" id="how" name="how">${ways}</select><button class="second tiny" name="verdict" value="failure">Fail now</button></span></form>`
}
