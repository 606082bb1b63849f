import { counted } from '@wigwag/contract'
import { type Markup, render } from '../../../net/pages/markup.ts'
import { countOf, upTo } from '../../count.ts'
import { dayAndTime, listTime } from '../../times.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import {
  ageOf,
  type CarriersRead,
  capacityOf,
  pathOf,
  problemLines,
  readCarriers,
  routeName,
  stateOf,
  waysOf,
} from './carrier.tsx'
import { mountCarrier } from './page.tsx'
import { mountReload } from './reload.tsx'
import { mountSwitch } from './switch.tsx'
import { mountTest } from './trial.tsx'
import { mountWay, wayForm } from './way.tsx'

const LIVE = '/carriers/plan/live'
const EVERY_MS = 2_000
/** Routes on a page. */
const ROUTES = 50

/** The carriers: how each is, the plan in force, which way a number would go, and what operators do with carriers. */
export function mountCarriers(pages: Pages, parts: DeskParts): void {
  pages.show('/carriers', LOOK, async (visit) => {
    const { given } = parts.config.carrier
    const skip = Number(/^\d{1,6}$/.exec(visit.c.req.query('routes') ?? '')?.[0] ?? 0)
    // A setting that is no file may hold a password.
    const file = /^file:/i.test(given) ? given.slice('file:'.length) : undefined
    return listPage({ read: await readCarriers(parts), visit, file, skip })
  })
  pages.live(LIVE, LOOK, {
    read: async () => render(carriersPart(await readCarriers(parts))),
    everyMs: EVERY_MS,
  })
  mountWay(pages, parts)
  mountReload(pages, parts)
  mountCarrier(pages, parts)
  mountSwitch(pages, parts)
  mountTest(pages, parts)
}

interface ListView {
  read: CarriersRead
  visit: Visit
  /** The file that the setting names; undefined when it names none. */
  file: string | undefined
  /** How many routes are on the pages before this one. */
  skip: number
}

function listPage({ read, visit: { operator }, file, skip }: ListView): Page {
  return {
    title: 'Carriers',
    place: 'carriers',
    body: (
      <>
        <div class="head">
          <h1>Carriers</h1>
          <span class="end soft small" id="live-state" />
          {operator.role === 'act' && (
            <a class="button second" href="/carriers/plan/reload">
              Read the carriers again
            </a>
          )}
        </div>
        <div id="part" data-live={LIVE}>
          {carriersPart(read)}
        </div>
        <section class="sheet">
          <h2>Which way would a number go?</h2>
          {wayForm({})}
        </section>
        {planSection(read, file, skip)}
      </>
    ),
  }
}

/** The live part of the page: the same for every operator. */
function carriersPart({ carriers, overview: { reports }, now }: CarriersRead): Markup {
  const rows = carriers.map(({ name, lines, paused, messages }) => {
    const uncertain = messages?.uncertain ?? 0
    const [place = ''] = new Set(lines.map((line) => line.place))
    const title =
      name === '' ? (
        <>Without a carrier</>
      ) : (
        <>
          <a class="strong" href={pathOf(name)}>
            <bdi>{name}</bdi>
          </a>
          {place !== '' && (
            <>
              <br />
              <span class="soft small place">
                <bdi>{place}</bdi>
              </span>
            </>
          )}
        </>
      )
    const state =
      name === '' ? (
        <span class="soft">Their carrier was removed, or no route takes them now.</span>
      ) : (
        stateOf(lines, paused, now)
      )
    return (
      <tr>
        <th scope="row" class="plain">
          {title}
        </th>
        <td class="plain">{state}</td>
        <td class="num">{name === '' ? '–' : upTo(capacityOf(lines, paused !== undefined))}</td>
        <td class="num">{upTo(messages?.waiting ?? 0)}</td>
        <td class="num">{ageOf(messages, now)}</td>
        <td class={`num${uncertain > 0 ? ' bad strong' : ''}`}>{upTo(uncertain)}</td>
      </tr>
    )
  })
  const troubled = reports.filter(({ problems }) => problems.length > 0)
  return (
    <>
      {troubled.map(({ name, since, problems }) => (
        <div class="note bad">
          <p>
            <bdi>{name}</bdi> could not read its carriers again. The plan of {dayAndTime(since)} stays in
            force there.
          </p>
          {problemLines(problems)}
        </div>
      ))}
      <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Carriers">
        <table class="carriers">
          <caption class="unseen">Carriers</caption>
          {tableHead('Carrier', 'State', num('Capacity'), num('Backlog'), num('Oldest'), num('Uncertain'))}
          <tbody>{rows}</tbody>
        </table>
      </section>
      {reports.length === 0 && (
        <div class="note warn">
          <p>No gateway has reported within the last half minute, so the states are not known.</p>
        </div>
      )}
    </>
  )
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
    file === undefined ? (
      <>It is the setting WIGWAG_CARRIER.</>
    ) : (
      <>
        It is from <code>{file}</code>.
      </>
    )
  return (
    <>
      <section class="sheet" id="plan">
        <h2>The plan in force</h2>
        <p>
          Since {dayAndTime(since)}: {counted(plan.carriers.size, 'carrier')} and{' '}
          {counted(routes.length, 'route')}. {from} Of several routes that fit, the one that names the account
          comes first, then the sender, then the network, then the longest prefix.
        </p>
        {reports.length > 1 && (
          <dl class="facts">
            {reports.map((report) => (
              <div>
                <dt>
                  <bdi>{report.name}</bdi>
                </dt>
                <dd>has its plan since {listTime(report.since, now)}</dd>
              </div>
            ))}
          </dl>
        )}
        {plan.warnings.length > 0 && (
          <>
            <p class="strong">Probably not meant:</p>
            {problemLines(plan.warnings)}
          </>
        )}
      </section>
      <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Routes">
        <table>
          <caption class="unseen">Routes</caption>
          {tableHead('Route', 'Carriers')}
          <tbody>
            {shown.map((route) => (
              <tr>
                <th scope="row" class="plain">
                  <bdi>{routeName(route)}</bdi>
                </th>
                <td class="plain">{waysOf(route)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {(skip > 0 || more > 0) && (
          <div class="pages">
            {skip > 0 && <a href="/carriers#plan">First routes</a>}
            {more > 0 && (
              <a class="end" href={`/carriers?routes=${skip + ROUTES}#plan`}>
                {countOf(more)} more
              </a>
            )}
          </div>
        )}
      </section>
    </>
  )
}
