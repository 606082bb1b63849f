import type { CarrierLine, CarrierMessages } from '../../delivery/index.ts'
import { counted, span } from '../../domain/counted.ts'
import { icon } from '../../pages/icons.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Overview } from './read.ts'
import { upTo } from './words.ts'

/** Each carrier: how it is, how many more messages it takes now, and what waits for it. */
export function carriersSection({ carriers, now }: Overview): Markup {
  const { reports, paused, messages } = carriers
  const lines = reports.flatMap((report) => report.carriers)
  const names = [
    ...new Set([...lines.map(({ carrier }) => carrier), ...messages.map(({ carrier }) => carrier)]),
  ]
  const rows = names.sort().map((name) => {
    const pausedAt = paused.get(name)
    const own = lines.filter(({ carrier }) => carrier === name)
    const waiting = messages.find(({ carrier }) => carrier === name)
    const room = own.reduce(
      (sum, line) => sum + (line.kind === 'up' && pausedAt === undefined ? line.room : 0),
      0,
    )
    return markup`<tr><th scope="row" class="plain"><bdi>${name === '' ? 'Without a carrier' : name}</bdi></th><td class="plain">${stateOf(own, pausedAt, now)}</td><td class="num">${name === '' ? '–' : upTo(room)}</td><td class="num">${upTo(waiting?.waiting ?? 0)}</td><td class="num">${ageOf(waiting, now)}</td><td class="num${(waiting?.uncertain ?? 0) > 0 && ' bad strong'}">${upTo(waiting?.uncertain ?? 0)}</td></tr>`
  })
  if (rows.length === 0)
    return markup`<section class="sheet" id="carriers"><h2>Carriers</h2><p>No gateway has reported carriers.</p></section>`
  return markup`<section class="sheet flush wide-table" id="carriers" tabindex="0" role="group" aria-label="Carriers"><table><caption class="unseen">Carriers</caption><thead><tr><th scope="col">Carrier</th><th scope="col">State</th><th scope="col" class="num">Capacity</th><th scope="col" class="num">Backlog</th><th scope="col" class="num">Oldest</th><th scope="col" class="num">Uncertain</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

/** Of all gateways the best. Where some differ, their number. */
function stateOf(lines: readonly CarrierLine[], pausedAt: number | undefined, now: number): Markup {
  if (pausedAt !== undefined) return mark('idle', 'broken', `Paused for ${span(now - pausedAt)}`)
  const [first] = lines
  if (!first) return markup`<span class="soft">–</span>`
  const up = lines.filter(({ kind }) => kind === 'up')
  const where = up.length === lines.length ? '' : ` in ${up.length} of ${counted(lines.length, 'gateway')}`
  if (up.length > 0) return mark('good', 'disc', `Up${where}`)
  const why = first.reason === '' ? '' : `: ${first.reason}`
  const word = lines.some(({ kind }) => kind === 'resting') ? 'Asks for fewer' : 'Away'
  return mark(
    word === 'Away' ? 'bad' : 'wait',
    word === 'Away' ? 'cross' : 'hourglass',
    `${word} for ${span(now - first.since)}${why}`,
  )
}

function mark(tone: string, drawing: 'broken' | 'disc' | 'cross' | 'hourglass', text: string): Markup {
  return markup`<span class="state plain ${tone}">${icon(drawing)}<span class="word">${text}</span></span>`
}

function ageOf(waiting: CarrierMessages | undefined, now: number): string {
  return waiting?.oldest === undefined ? '–' : span(now - waiting.oldest)
}
