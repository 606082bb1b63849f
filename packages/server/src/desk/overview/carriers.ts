import { type Markup, markup } from '../../platform/pages/markup.ts'
import { ageOf, capacityOf, pathOf, stateOf } from '../carriers/words.ts'
import type { Overview } from './read.ts'
import { upTo } from './up-to.ts'

/** Each carrier: how it is, how many more messages it takes now, and what waits for it. */
export function carriersSection({ carriers, now }: Overview): Markup {
  const { reports, paused: pauses, messages } = carriers
  const lines = reports.flatMap((report) => report.carriers)
  const names = [
    ...new Set([...lines.map(({ carrier }) => carrier), ...messages.map(({ carrier }) => carrier)]),
  ]
  const rows = names.sort().map((name) => {
    const pausedAt = pauses.get(name)
    const own = lines.filter(({ carrier }) => carrier === name)
    const waiting = messages.find(({ carrier }) => carrier === name)
    const paused = pausedAt === undefined ? undefined : { at: pausedAt }
    const title = name === '' ? 'Without a carrier' : markup`<a href="${pathOf(name)}"><bdi>${name}</bdi></a>`
    const state = name === '' ? markup`<span class="soft">–</span>` : stateOf(own, paused, now)
    return markup`<tr><th scope="row" class="plain">${title}</th><td class="plain">${state}</td><td class="num">${name === '' ? '–' : upTo(capacityOf(own, paused !== undefined))}</td><td class="num">${upTo(waiting?.waiting ?? 0)}</td><td class="num">${ageOf(waiting, now)}</td><td class="num${(waiting?.uncertain ?? 0) > 0 && ' bad strong'}">${upTo(waiting?.uncertain ?? 0)}</td></tr>`
  })
  if (rows.length === 0)
    return markup`<section class="sheet" id="carriers"><h2>Carriers</h2><p>No gateway has reported carriers.</p></section>`
  return markup`<section class="sheet flush wide-table" id="carriers" tabindex="0" role="group" aria-label="Carriers"><table><caption class="unseen">Carriers</caption><thead><tr><th scope="col">Carrier</th><th scope="col">State</th><th scope="col" class="num">Capacity</th><th scope="col" class="num">Backlog</th><th scope="col" class="num">Oldest</th><th scope="col" class="num">Uncertain</th></tr></thead><tbody>${rows}</tbody></table></section>`
}
