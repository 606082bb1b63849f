import { span } from '@wigwag/contract'
import { placeOf } from '../../../delivery/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, upTo } from '../../count.ts'
import { num, tableHead } from '../../widgets/table.tsx'
import {
  type DeliveriesRead,
  deliveriesPicture,
  deliveriesTable,
  rangeLinks,
  rangeOf,
  readDeliveries,
} from '../deliveries/tables.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import {
  ageOf,
  type CarrierRead,
  type CarriersRead,
  capacityOf,
  onCarrier,
  pathOf,
  routeName,
  routesTo,
  stateOf,
  waysOf,
} from './carrier.tsx'
import { byDay, ofDay, readOwed } from './costs.tsx'

/** The page of a carrier, with what it is owed. */
export function mountCarrier(pages: Pages, parts: DeskParts): void {
  pages.show(
    '/carriers/:name',
    LOOK,
    onCarrier(parts, async (carrier, read, visit) => {
      const { c } = visit
      const owed = await readOwed(parts.database, carrier.name, c.req.query('day'), read.now)
      const deliveries = await readDeliveries(parts.database, {
        range: rangeOf(c.req.query('since')),
        now: read.now,
        carrier: carrier.name,
      })
      return carrierPage({ carrier, read, visit, owed, deliveries, done: DONE[c.req.query('done') ?? ''] })
    }),
  )
}

const DONE: Readonly<Record<string, string | undefined>> = {
  paused: 'It is paused: running gateways submit nothing to it within a second.',
  resumed: 'It is not paused any more: its messages go out within a second.',
}

/** Of the routes that lead to it. */
const MOST_ROUTES = 50

interface CarrierView {
  carrier: CarrierRead
  read: CarriersRead
  visit: Visit
  owed: Awaited<ReturnType<typeof readOwed>>
  deliveries: DeliveriesRead
  done: string | undefined
}

function carrierPage(view: CarrierView): Page {
  const { carrier, read, visit, owed, done } = view
  const { name, lines, paused } = carrier
  const isPaused = paused !== undefined
  return {
    title: name,
    place: 'carriers',
    body: (
      <>
        <div class="head">
          <h1>
            <bdi>{name}</bdi>
          </h1>
          {stateOf(lines, paused, read.now)}
          {visit.operator.role === 'act' && (
            <span class="end">
              <a class="button second" href={pathOf(name, '/switch')}>
                {isPaused ? 'Resume' : 'Pause'}
              </a>
              <a class="button second" href={pathOf(name, '/test')}>
                Send a test
              </a>
            </span>
          )}
        </div>
        {done !== undefined && (
          <div class="note good" role="status">
            <p>{done}</p>
          </div>
        )}
        {figures(view)}
        {deliveriesOf(view)}
        {gateways(view)}
        {routes(view)}
        {ofDay(name, owed)}
        {byDay(name, owed)}
      </>
    ),
  }
}

function figures({ carrier: { name, lines, paused, messages }, read: { now } }: CarrierView): Markup {
  const [uncertain, early] = [messages?.uncertain ?? 0, messages?.early ?? 0]
  return (
    <dl class="sheet figures">
      <div>
        <dt>Capacity</dt>
        <dd>
          {upTo(capacityOf(lines, paused !== undefined))}
          <small>more messages now</small>
        </dd>
      </div>
      <div>
        <dt>Backlog</dt>
        <dd>
          {upTo(messages?.waiting ?? 0)}
          <small>oldest: {ageOf(messages, now)}</small>
        </dd>
      </div>
      <div>
        <dt>Uncertain</dt>
        <dd class={uncertain > 0 ? 'bad' : undefined}>
          {upTo(uncertain)}
          <small>
            {uncertain > 0 ? (
              <a href={`/messages/uncertain?${new URLSearchParams({ carrier: name }).toString()}`}>
                it never answered for them
              </a>
            ) : (
              'it never answered for them'
            )}
          </small>
        </dd>
      </div>
      <div>
        <dt>Early receipts</dt>
        <dd>
          {upTo(early)}
          <small>came before their reference</small>
        </dd>
      </div>
    </dl>
  )
}

function deliveriesOf({ carrier: { name }, deliveries }: CarrierView): Markup {
  return (
    <>
      <section class="sheet" id="deliveries">
        <div class="together">
          <h2>Deliveries</h2>
          {rangeLinks(pathOf(name), deliveries.range)}
        </div>
        {deliveriesPicture(deliveries)}
      </section>
      <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Deliveries by country">
        {deliveriesTable('Country', deliveries.countries)}
      </section>
    </>
  )
}

function gateways({ carrier: { name, lines }, read }: CarrierView): Markup {
  const { reports } = read.overview
  const settings = read.inForce.plan.carriers.get(name)
  if (lines.length === 0)
    return (
      <section class="sheet">
        <h2>Gateways</h2>
        <p>
          No running gateway has reported this carrier.
          {settings && (
            <>
              {' '}
              By the plan it is at <bdi>{placeOf(settings)}</bdi>.
            </>
          )}
        </p>
      </section>
    )
  const rows = reports.flatMap(({ name: process, carriers }) =>
    carriers
      .filter(({ carrier }) => carrier === name)
      .map((line) => (
        <tr>
          <th scope="row" class="plain">
            <bdi>{process}</bdi>
            <br />
            <span class="soft small">
              <bdi>{line.place}</bdi>
            </span>
          </th>
          <td class="plain">
            {stateOf(
              [line],
              line.paused ? { at: read.overview.paused.get(name) ?? read.now } : undefined,
              read.now,
            )}
          </td>
          <td class="num">{span(read.now - line.since)}</td>
          <td class="num">{countOf(line.inWindow)}</td>
          <td class="num">{countOf(line.capacity)}</td>
          <td class="num">{countOf(line.rests)}</td>
          <td class={`num${line.unreadable > 0 ? ' bad strong' : ''}`}>{countOf(line.unreadable)}</td>
        </tr>
      )),
  )
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="In each gateway">
      <table>
        <caption class="unseen">In each gateway</caption>
        {tableHead(
          'Gateway',
          'State',
          num('For'),
          num('Unanswered'),
          num('Capacity'),
          num('Rests'),
          num('Unreadable receipts'),
        )}
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}

function routes({ carrier: { name }, read }: CarrierView): Markup {
  const { shared, alone } = routesTo(read.inForce.plan, name)
  const all = [...alone, ...shared]
  if (all.length === 0)
    return (
      <section class="sheet">
        <h2>Its routes</h2>
        <p>No route of the plan leads to it, so it gets no new message.</p>
      </section>
    )
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Its routes">
      <table>
        <caption class="unseen">Its routes</caption>
        {tableHead('Route', 'Carriers')}
        <tbody>
          {all.slice(0, MOST_ROUTES).map((route) => (
            <tr>
              <th scope="row" class="plain">
                <bdi>{routeName(route)}</bdi>
              </th>
              <td class="plain">{waysOf(route)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > MOST_ROUTES && (
        <div class="pages">
          <a class="end" href="/carriers#plan">
            All {countOf(all.length)} routes
          </a>
        </div>
      )}
    </section>
  )
}
