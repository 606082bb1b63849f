import type { CarrierPlan } from '../../delivery/index.ts'
import { several } from '../../pages/count.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import type { CarrierRead } from './read.ts'
import { pathOf, routesTo, waitingWords } from './words.ts'

export interface SwitchView {
  carrier: CarrierRead
  plan: CarrierPlan
  typed?: string | undefined
  problem?: string | undefined
}

/** Pauses or resumes a carrier, after saying what that does and to how many messages. */
export function switchPage({ form }: Visit, { carrier, plan, typed, problem }: SwitchView): Page {
  const { name, paused, messages } = carrier
  const [verb, to] = paused ? (['Resume', 'resumed'] as const) : (['Pause', 'paused'] as const)
  const waiting = waitingWords(messages?.waiting ?? 0)
  return {
    title: verb,
    place: 'carriers',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: markup`<div class="head"><h1>${verb} <bdi>${name}</bdi>?</h1></div>
<section class="sheet narrow">${
      paused
        ? markup`<p>Running gateways submit to it again within a second. ${waiting} for it now${(messages?.waiting ?? 0) > 0 && ', and will go out'}.</p>`
        : markup`<p>Within a second, running gateways submit nothing more to it. ${waiting} for it now.</p>${consequences(plan, name)}<p>What it has taken goes on to the end: its receipts are still taken.</p>`
    }
<form method="post" action="${pathOf(name, '/switch')}">${hiddenFields(form, { to })}
${field({ id: 'reason', label: 'Reason', hint: 'Shown beside the carrier and kept in the audit log; may be empty', error: problem }, (ties) => markup`<input class="box" ${ties} name="reason" value="${typed ?? ''}" maxlength="500" autocomplete="off">`)}
${ending(paused ? markup`<button>Resume this carrier</button>` : markup`<button class="danger">Pause this carrier</button>`, pathOf(name))}</form></section>`,
  }
}

function consequences(plan: CarrierPlan, name: string): Markup {
  const { shared, alone } = routesTo(plan, name)
  const others = new Set(shared.flatMap(({ ways }) => ways.map((way) => way.name)))
  others.delete(name)
  return markup`<ul class="bullets">${shared.length > 0 && markup`<li>By ${several(shared.length, 'route')}, messages go to <bdi>${[...others].sort().join(', ')}</bdi> instead.</li>`}${alone.length > 0 && markup`<li>By ${several(alone.length, 'route')}, it is the only carrier: messages wait until it is resumed or their validity ends.</li>`}${shared.length + alone.length === 0 && markup`<li>No route leads to it.</li>`}</ul>`
}
