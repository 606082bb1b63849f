import { counted } from '@wigwag/contract'
import { countOf } from '../../pages/count.ts'
import { dayAndTime, listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { upTo } from '../overview/up-to.ts'
import type { CarriersRead } from './read.ts'
import { wayForm } from './way-page.ts'
import { ageOf, capacityOf, pathOf, problemLines, routeName, stateOf, waysOf } from './words.ts'

export const LIVE = '/carriers/plan/live'
const ROUTES = 50

export interface ListView {
  read: CarriersRead
  visit: Visit
  /** The file that the setting names; undefined when it names none. */
  file: string | undefined
  /** How many routes are on the pages before this one. */
  skip: number
}

export function listPage({ read, visit: { operator }, file, skip }: ListView): Page {
  return {
    title: 'Carriers',
    place: 'carriers',
    body: markup`<div class="head"><h1>Carriers</h1><span class="end soft small" id="live-state"></span>${operator.role === 'act' && markup`<a class="button second" href="/carriers/plan/reload">Read the carriers again</a>`}</div>
<div id="part" data-live="${LIVE}">${carriersPart(read)}</div>
<section class="sheet"><h2>Which way would a number go?</h2>${wayForm({})}</section>
${planSection(read, file, skip)}`,
  }
}

/** What is kept up to date: the same for every operator. */
export function carriersPart({ carriers, overview: { reports }, now }: CarriersRead): Markup {
  const rows = carriers.map(({ name, lines, paused, messages }) => {
    const uncertain = messages?.uncertain ?? 0
    const [place = ''] = new Set(lines.map((line) => line.place))
    const title =
      name === ''
        ? markup`Without a carrier`
        : markup`<a class="strong" href="${pathOf(name)}"><bdi>${name}</bdi></a>${place !== '' && markup`<br><span class="soft small place"><bdi>${place}</bdi></span>`}`
    const state =
      name === ''
        ? markup`<span class="soft">Their carrier was removed, or no route takes them now.</span>`
        : stateOf(lines, paused, now)
    return markup`<tr><th scope="row" class="plain">${title}</th><td class="plain">${state}</td><td class="num">${name === '' ? '–' : upTo(capacityOf(lines, paused !== undefined))}</td><td class="num">${upTo(messages?.waiting ?? 0)}</td><td class="num">${ageOf(messages, now)}</td><td class="num${uncertain > 0 && ' bad strong'}">${upTo(uncertain)}</td></tr>`
  })
  const troubled = reports.filter(({ problems }) => problems.length > 0)
  return markup`${troubled.map(
    ({ name, since, problems }) =>
      markup`<div class="note bad"><p><bdi>${name}</bdi> could not read its carriers again. The plan of ${dayAndTime(since)} stays in force there.</p>${problemLines(problems)}</div>`,
  )}<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Carriers"><table class="carriers"><caption class="unseen">Carriers</caption><thead><tr><th scope="col">Carrier</th><th scope="col">State</th><th scope="col" class="num">Capacity</th><th scope="col" class="num">Backlog</th><th scope="col" class="num">Oldest</th><th scope="col" class="num">Uncertain</th></tr></thead><tbody>${rows}</tbody></table></section>
${reports.length === 0 && markup`<div class="note warn"><p>No gateway has reported within the last half minute, so the states are not known.</p></div>`}`
}

function planSection(
  { inForce: { plan, since }, overview: { reports }, now }: CarriersRead,
  file: string | undefined,
  skip: number,
): Markup {
  const { routes } = plan.routes
  const shown = routes.slice(skip, skip + ROUTES)
  const more = routes.length - skip - shown.length
  const from =
    file === undefined ? markup`It is the setting WIGWAG_CARRIER.` : markup`It is from <code>${file}</code>.`
  return markup`<section class="sheet" id="plan"><h2>The plan in force</h2><p>Since ${dayAndTime(since)}: ${counted(plan.carriers.size, 'carrier')} and ${counted(routes.length, 'route')}. ${from} Of several routes that fit, the one that names the account comes first, then the sender, then the network, then the longest prefix.</p>
${reports.length > 1 && markup`<dl class="facts">${reports.map((report) => markup`<div><dt><bdi>${report.name}</bdi></dt><dd>has its plan since ${listTime(report.since, now)}</dd></div>`)}</dl>`}
${plan.warnings.length > 0 && markup`<p class="strong">Probably not meant:</p>${problemLines(plan.warnings)}`}</section>
<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Routes"><table><caption class="unseen">Routes</caption><thead><tr><th scope="col">Route</th><th scope="col">Carriers</th></tr></thead><tbody>${shown.map(
    (route) =>
      markup`<tr><th scope="row" class="plain"><bdi>${routeName(route)}</bdi></th><td class="plain">${waysOf(route)}</td></tr>`,
  )}</tbody></table>${
    (skip > 0 || more > 0) &&
    markup`<div class="pages">${skip > 0 && markup`<a href="/carriers#plan">First routes</a>`}${more > 0 && markup`<a class="end" href="/carriers?routes=${skip + ROUTES}#plan">${countOf(more)} more</a>`}</div>`
  }</section>`
}
