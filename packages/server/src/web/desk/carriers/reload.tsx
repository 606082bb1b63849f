import {
  type CarrierPlan,
  describeRoute,
  differenceOf,
  fixedSentence,
  isNothing,
  type LiveReport,
  type PlanDifference,
  PlanError,
  type PlanInForce,
  type Route,
  requestedReloads,
} from '../../../delivery/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { planHere } from '../../../operate/doctor/index.ts'
import { several } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { dayAndTime } from '../../times.tsx'
import { ending, hiddenFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { problemLines, readCarriers, waitingWords, waysOf } from './carrier.tsx'

/** Reading the carriers again, after the page has said what would change. */
export function mountReload(pages: Pages, parts: DeskParts): void {
  const { database, workOf, config } = parts
  pages.show(RELOAD, ACT, async (visit) => {
    const { carriers } = workOf(visit.acting)
    const asked = visit.c.req.query('asked')
    if (asked !== undefined && /^\d{1,9}$/.test(asked))
      return reloadedPage(await carriers.reports(), Number(asked))
    const reloads = await database.read(requestedReloads)
    const { overview, inForce } = await readCarriers(parts)
    const waitingOf = (name: string) =>
      overview.messages.find(({ carrier }) => carrier === name)?.waiting ?? 0
    const gateways = overview.reports.length
    return reloadPage(visit, { inForce, next: readable(config), reloads, gateways, waitingOf })
  })
  pages.change(RELOAD, ACT, async (visit, form) => {
    const after = /^\d{1,9}$/.exec(form.get('after') ?? '')?.[0]
    if (after === undefined) return goTo(RELOAD)
    return goTo(`${RELOAD}?asked=${await workOf(visit.acting).carriers.reload(Number(after))}`)
  })
}

/** Reads the setting and its file as they are now. */
function readable(config: DeskParts['config']): ReloadView['next'] {
  try {
    return { plan: planHere(config) }
  } catch (error) {
    if (error instanceof PlanError) return { problems: error.problems }
    throw error
  }
}

const RELOAD = '/carriers/plan/reload'
/** Of routes that change, so that a new file of thousands is a page too. */
const MOST_ROUTES = 50

interface ReloadView {
  inForce: PlanInForce
  /** The plan of the file, or why it can't be read. */
  next: { plan: CarrierPlan } | { problems: readonly string[] }
  /** How many reloads were asked for, so that one page asks for one. */
  reloads: number
  gateways: number
  waitingOf(carrier: string): number
}

/** Changes that reading the carriers again would make, or why they can't be read. */
function reloadPage(visit: Visit, view: ReloadView): Page {
  const { inForce, next } = view
  const since = dayAndTime(inForce.since)
  return {
    title: 'Read the carriers again',
    place: 'carriers',
    middle: true,
    status: 'problems' in next ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Read the carriers again?</h1>
        </div>
        {'problems' in next ? (
          <>
            <div class="note bad" role="alert">
              <p>
                The file has {several(next.problems.length, 'mistake')}, so it is not read. The plan of{' '}
                {since} stays in force, and nothing changes.
              </p>
              {problemLines(next.problems)}
            </div>
            <p class="together">
              <a class="button" href={RELOAD}>
                Look again
              </a>
              <a href="/carriers">Leave it</a>
            </p>
          </>
        ) : (
          whatChanges(visit, view, next.plan)
        )}
      </>
    ),
  }
}

function whatChanges({ form }: Visit, view: ReloadView, plan: CarrierPlan): Markup {
  const { inForce, reloads, gateways } = view
  const { warnings, fixed } = plan
  const difference = differenceOf(inForce.plan, plan)
  const isSame = isNothing(difference)
  return (
    <section class="sheet">
      <p>
        {isSame ? (
          <>
            As this gateway reads it, nothing would change: the plan is that of {dayAndTime(inForce.since)}.
          </>
        ) : (
          <>As this gateway reads it, this would change in the plan of {dayAndTime(inForce.since)}:</>
        )}
      </p>
      {!isSame && changes(difference, view)}
      {warnings.length > 0 && (
        <>
          <p class="strong">Probably not meant:</p>
          {problemLines(warnings)}
        </>
      )}
      {fixed.length > 0 && (
        <>
          <p class="strong">Not read again:</p>
          {problemLines(fixed.map(fixedSentence))}
        </>
      )}
      <p>
        {gateways === 0 ? (
          'No gateway has reported within the last half minute.'
        ) : (
          <>{several(gateways, 'running gateway reads', 'running gateways read')} it within a second.</>
        )}{' '}
        One that finds a mistake says so, and goes on as before.
      </p>
      <form method="post" action={RELOAD}>
        {hiddenFields(form, { after: String(reloads) })}
        {ending(<button>Read it</button>, '/carriers')}
      </form>
    </section>
  )
}

function changes({ added, removed, changed, routes }: PlanDifference, { waitingOf }: ReloadView): Markup {
  const waits = (carrier: string) => `${waitingWords(waitingOf(carrier))} for it`
  return (
    <ul class="bullets">
      {added.map(({ carrier, place }) => (
        <li>
          New carrier{' '}
          <b>
            <bdi>{carrier}</bdi>
          </b>{' '}
          at <bdi>{place}</bdi>.
        </li>
      ))}
      {changed.map(({ carrier, place, settings }) => (
        <li>
          Carrier{' '}
          <b>
            <bdi>{carrier}</bdi>
          </b>{' '}
          at <bdi>{place}</bdi> is closed and opened again, with another {settings.join(', ')}.{' '}
          {waits(carrier)}.
        </li>
      ))}
      {removed.map(({ carrier }) => (
        <li>
          Carrier{' '}
          <b>
            <bdi>{carrier}</bdi>
          </b>{' '}
          is closed. {waits(carrier)}
          {waitingOf(carrier) > 0 && ': they go by the new plan'}. Receipts that it still owes don’t come.
        </li>
      ))}
      {routeLines('New route', routes.added)}
      {routeLines('Removed route', routes.removed)}
      {routes.changed.slice(0, MOST_ROUTES).map(({ before, after }) => (
        <li>
          Route{' '}
          <b>
            <bdi>{describeRoute(after)}</bdi>
          </b>
          : before {waysOf(before)}; then {waysOf(after)}.
        </li>
      ))}
      {tooMany(routes.changed.length, 'route that changes', 'routes that change')}
    </ul>
  )
}

function routeLines(what: string, routes: readonly Route[]): Markup {
  return (
    <>
      {routes.slice(0, MOST_ROUTES).map((route) => (
        <li>
          {what}{' '}
          <b>
            <bdi>{describeRoute(route)}</bdi>
          </b>
          : {waysOf(route)}.
        </li>
      ))}
      {tooMany(routes.length, `of these: ${what.toLowerCase()}`, `of these: ${what.toLowerCase()}`)}
    </>
  )
}

function tooMany(count: number, one: string, many: string): Markup {
  return <>{count > MOST_ROUTES && <li>{several(count - MOST_ROUTES, `more ${one}`, `more ${many}`)}.</li>}</>
}

/** Each gateway's answer to the reload. The page looks again until all have answered. */
function reloadedPage(reports: readonly LiveReport[], asked: number): Page {
  const isOver = reports.every(({ reload }) => reload >= asked)
  const wrong = reports.filter(({ reload, problems }) => reload >= asked && problems.length > 0)
  return {
    title: 'Read again',
    place: 'carriers',
    middle: true,
    ...(!isOver && { headers: { refresh: '2' } }),
    body: (
      <>
        <div class="head">
          <h1>
            {!isOver
              ? 'The gateways read it'
              : wrong.length > 0
                ? 'Not all could read it'
                : 'The carriers were read again'}
          </h1>
        </div>
        <section class="sheet">
          {reports.length === 0 ? (
            <p>No gateway runs. A gateway reads its carriers when it starts.</p>
          ) : (
            <ul class="findings">{reports.map((report) => answerOf(report, asked))}</ul>
          )}
          {!isOver && (
            <p class="soft small">
              This page looks again every two seconds. A carrier that changes may take five seconds to finish
              what it has; a gateway that is silent for longer may be busy or dead.
            </p>
          )}
          <p>
            <a class="button second" href="/carriers">
              All carriers
            </a>
          </p>
        </section>
      </>
    ),
  }
}

function answerOf({ name, reload, since, problems, carriers, warnings }: LiveReport, asked: number): Markup {
  const item = (tone: string, drawing: Parameters<typeof icon>[0], text: Markup) => (
    <li>
      <span class={`state ${tone}`}>{icon(drawing)}</span>
      <div>{text}</div>
    </li>
  )
  if (reload < asked)
    return item(
      'wait',
      'hourglass',
      <>
        <bdi>{name}</bdi> has not answered yet.
      </>,
    )
  if (problems.length > 0)
    return item(
      'bad',
      'octagon',
      <>
        <bdi>{name}</bdi> found {several(problems.length, 'mistake')}. Its plan of {dayAndTime(since)} stays
        in force.{problemLines(problems)}
      </>,
    )
  return item(
    'good',
    'disc',
    <>
      <bdi>{name}</bdi> has read it: {carriers.map(({ carrier }) => carrier).join(', ')}.
      {warnings.length > 0 && problemLines(warnings)}
    </>,
  )
}
