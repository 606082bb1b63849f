import { span } from '@wigwag/contract'
import { type Costs, type DayCost, type Margin, placeOf } from '../../delivery/index.ts'
import { countOf } from '../../pages/count.ts'
import { dayOf } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { upTo } from '../overview/up-to.ts'
import { money } from '../widgets/money.ts'
import type { CarrierRead, CarriersRead } from './read.ts'
import { ageOf, amount, capacityOf, pathOf, routeName, routesTo, stateOf, waysOf } from './words.ts'

const DAY_MS = 86_400_000
/** Of the routes that lead to it. */
const MOST_ROUTES = 50

export interface CarrierView {
  carrier: CarrierRead
  read: CarriersRead
  visit: Visit
  /** What it took, by day. */
  days: readonly DayCost[]
  /** The day of which more is shown, and what is known of it. */
  day: number
  costs: Costs
  done: string | undefined
}

export function carrierPage(view: CarrierView): Page {
  const { carrier, read, visit, done } = view
  const { name, lines, paused } = carrier
  const isPaused = paused !== undefined
  return {
    title: name,
    place: 'carriers',
    body: markup`<div class="head"><h1><bdi>${name}</bdi></h1>${stateOf(lines, paused, read.now)}${visit.operator.role === 'act' && markup`<span class="end"><a class="button second" href="${pathOf(name, '/switch')}">${isPaused ? 'Resume' : 'Pause'}</a><a class="button second" href="${pathOf(name, '/test')}">Send a test</a></span>`}</div>
${done !== undefined && markup`<div class="note good" role="status"><p>${done}</p></div>`}
${figures(view)}
${gateways(view)}
${routes(view)}
${ofDay(view)}
${byDay(view)}`,
  }
}

function figures({ carrier: { name, lines, paused, messages }, read: { now } }: CarrierView): Markup {
  const [uncertain, early] = [messages?.uncertain ?? 0, messages?.early ?? 0]
  return markup`<dl class="sheet figures"><div><dt>Capacity</dt><dd>${upTo(capacityOf(lines, paused !== undefined))}<small>more messages now</small></dd></div><div><dt>Backlog</dt><dd>${upTo(messages?.waiting ?? 0)}<small>oldest: ${ageOf(messages, now)}</small></dd></div><div><dt>Uncertain</dt><dd${uncertain > 0 && markup` class="bad"`}>${upTo(uncertain)}<small>${uncertain > 0 ? markup`<a href="/messages/uncertain?${new URLSearchParams({ carrier: name }).toString()}">it never answered for them</a>` : 'it never answered for them'}</small></dd></div><div><dt>Early receipts</dt><dd>${upTo(early)}<small>came before their reference</small></dd></div></dl>`
}

function gateways({ carrier: { name, lines }, read }: CarrierView): Markup {
  const { reports } = read.overview
  const settings = read.inForce.plan.carriers.get(name)
  if (lines.length === 0)
    return markup`<section class="sheet"><h2>Gateways</h2><p>No running gateway has reported this carrier.${settings && markup` By the plan it is at <bdi>${placeOf(settings)}</bdi>.`}</p></section>`
  const rows = reports.flatMap(({ name: process, carriers }) =>
    carriers
      .filter(({ carrier }) => carrier === name)
      .map(
        (line) =>
          markup`<tr><th scope="row" class="plain"><bdi>${process}</bdi><br><span class="soft small"><bdi>${line.place}</bdi></span></th><td class="plain">${stateOf([line], line.paused ? { at: read.overview.paused.get(name) ?? read.now } : undefined, read.now)}</td><td class="num">${span(read.now - line.since)}</td><td class="num">${countOf(line.inWindow)}</td><td class="num">${countOf(line.capacity)}</td><td class="num">${countOf(line.rests)}</td><td class="num${line.unreadable > 0 && ' bad strong'}">${countOf(line.unreadable)}</td></tr>`,
      ),
  )
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="In each gateway"><table><caption class="unseen">In each gateway</caption><thead><tr><th scope="col">Gateway</th><th scope="col">State</th><th scope="col" class="num">For</th><th scope="col" class="num">Unanswered</th><th scope="col" class="num">Capacity</th><th scope="col" class="num">Rests</th><th scope="col" class="num">Unreadable receipts</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function routes({ carrier: { name }, read }: CarrierView): Markup {
  const { shared, alone } = routesTo(read.inForce.plan, name)
  const all = [...alone, ...shared]
  if (all.length === 0)
    return markup`<section class="sheet"><h2>Its routes</h2><p>No route of the plan leads to it, so it gets no new message.</p></section>`
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Its routes"><table><caption class="unseen">Its routes</caption><thead><tr><th scope="col">Route</th><th scope="col">Carriers</th></tr></thead><tbody>${all
    .slice(0, MOST_ROUTES)
    .map(
      (route) =>
        markup`<tr><th scope="row" class="plain"><bdi>${routeName(route)}</bdi></th><td class="plain">${waysOf(route)}</td></tr>`,
    )}</tbody></table>${all.length > MOST_ROUTES && markup`<div class="pages"><a class="end" href="/carriers#plan">All ${countOf(all.length)} routes</a></div>`}</section>`
}

function byDay({ carrier: { name }, days, day }: CarrierView): Markup {
  if (days.length === 0)
    return markup`<section class="sheet"><h2>What it is owed</h2><p>Nothing is known of the last 31 days: it took nothing, or no route says what a part costs.</p></section>`
  return markup`<section class="sheet flush"><table><caption class="unseen">What it is owed, by day</caption><thead><tr><th scope="col">Day</th><th scope="col" class="num">Parts</th><th scope="col" class="num">Owed</th></tr></thead><tbody>${days.map(
    (one) =>
      markup`<tr${one.day === day && markup` aria-current="true"`}><th scope="row" class="plain"><a href="${pathOf(name)}?day=${isoDay(one.day)}#day">${dayOf(one.day * DAY_MS)}</a></th><td class="num">${countOf(one.parts)}</td><td class="num">${amount(one.cost)}</td></tr>`,
  )}</tbody></table></section>`
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The networks to which it took messages, with all that customers sent there: outcomes are not counted by carrier. */
function ofDay({ carrier: { name }, day, costs: { costs, networks, currencies } }: CarrierView): Markup {
  const own = costs.filter(({ carrier }) => carrier === name)
  const date = dayOf(day * DAY_MS)
  if (own.length === 0)
    return markup`<section class="sheet" id="day"><h2>${date}</h2><p>Nothing is known to be owed for this day.</p></section>`
  const note =
    currencies.length > 1
      ? `Customers paid in ${currencies.join(', ')}, and costs have no currency, so there is no margin.`
      : 'Costs have no currency: the margin is right if they are in the one in which customers paid.'
  return markup`<section class="sheet" id="day"><h2>${date}</h2><p class="soft">${note} What customers were charged and how their messages ended is known by network, not by carrier.</p></section>
<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="By network on ${date}"><table><caption class="unseen">By network on ${date}</caption><thead><tr><th scope="col">Network</th><th scope="col" class="num">Parts it took</th><th scope="col" class="num">Owed to it</th><th scope="col" class="num">Owed to all</th><th scope="col" class="num">Charged</th><th scope="col" class="num">Margin</th><th scope="col" class="num">Accepted</th><th scope="col" class="num">Delivered</th><th scope="col" class="num">Not delivered</th></tr></thead><tbody>${own.map(
    ({ country, network, parts, cost }) => {
      const found = networks.find((one) => one.country === country && one.network === network)
      const sum = (key: 'sent' | 'delivered' | 'failed') =>
        countOf((found?.totals ?? []).reduce((total, one) => total + one[key], 0))
      return markup`<tr><th scope="row" class="plain">${[country, network].filter((word) => word !== '').join(' ')}</th><td class="num">${countOf(parts)}</td><td class="num">${amount(cost)}</td><td class="num">${amount(found?.owed)}</td><td class="num">${charged(found)}</td><td class="num">${amount(found?.margin)}</td><td class="num">${sum('sent')}</td><td class="num">${sum('delivered')}</td><td class="num">${sum('failed')}</td></tr>`
    },
  )}</tbody></table></section>`
}

function charged(found: Margin | undefined): Markup {
  if (!found || found.charged.length === 0) return markup`–`
  return markup`${found.charged.map(({ spend, currency }) => markup`<div>${money(spend, currency)}</div>`)}`
}
