import { isOwnRef } from '../../delivery/index.ts'
import { inFull } from '../../history/index.ts'
import { stepsSheet } from '../../pages/message-steps/steps.ts'
import { exactTime } from '../../pages/times.ts'
import { countryName } from '../../pages/widgets/country.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import { statusMark } from '../../pages/widgets/state.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox } from '../widgets/code.ts'
import { sentByInFull } from '../widgets/sent-by.ts'
import { callbackSheet } from './callback.ts'
import { moneySheet } from './money.ts'
import { phoneSheet } from './phone.ts'
import type { PaneView } from './read.ts'
import { tellForm } from './tell-form.ts'

/** A message: its state, what is on the phone, what happened, what it cost, and its callback. */
export function messagePane(view: PaneView): Markup {
  const { message, canTell } = view
  return markup`${line(view)}
${canTell && message.status === 'pending' && tellForm(view)}
<div class="detail">
${phoneSheet(view)}
${stepsSheet({ ...view, ...carrierOf(view) })}
${moneySheet(view)}
${callbackSheet(view)}
${details(view)}
</div>`
}

/** The carrier's name, and its references for the message. */
function carrierOf({ waiting, message }: PaneView): { carrier: string | undefined; references: string[] } {
  const refs = (message.carrierRef ?? '').split(' ')
  return {
    carrier: waiting?.carrier ?? message.carrier ?? undefined,
    references: refs.filter((ref) => ref !== '' && !isOwnRef(ref)),
  }
}

function line({ message, q, may }: PaneView): Markup {
  const { id, status, recipient, network, country } = message
  const back = q === '' ? '/messages' : `/messages?${new URLSearchParams({ q })}`
  const place = [network ?? '', countryName(country)].filter((part) => part !== '').join(', ')
  return markup`<div class="head"><a class="back" href="${back}"><span aria-hidden="true">← </span>Inbox</a><h1 class="unseen">Message to ${recipient}</h1>${statusMark(status, 'strong')}<span class="strong">${phoneNumber(recipient)}</span><span class="soft">${place}</span><span class="end">${may('send') && markup`<a class="button second tiny" href="/send?again=${id}">Send again</a>`}<a class="button second tiny" href="${back}" id="shut">Close</a></span></div>`
}

function details(view: PaneView): Markup {
  const { message, now } = view
  const { id, reference, status, effectedAt, createdAt, sendAt, segments } = message
  return markup`<section class="sheet"><h2>Details</h2><dl class="facts"><div><dt>Ticket</dt><dd class="mono">${id}</dd></div>
<div><dt>Sent by</dt><dd>${sentByInFull(view.sentBy)}</dd></div>
<div><dt>Reference</dt><dd>${reference === '' ? markup`<span class="soft">none</span>` : markup`<bdi class="mono">${reference}</bdi>`}</dd></div>
<div><dt>Status</dt><dd><code>${status}</code> <span class="soft">since ${exactTime(effectedAt, now)}</span></dd></div>
<div><dt>Sent at</dt><dd>${exactTime(createdAt, now)}</dd></div>
${sendAt > 0 && markup`<div><dt>Scheduled for</dt><dd>${exactTime(sendAt, now)}</dd></div>`}
<div><dt>Segments</dt><dd>${segments}</dd></div></dl>
<details><summary>As JSON</summary>${codeBox('json', JSON.stringify(inFull(view), null, 2), 'wrap')}</details></section>`
}
