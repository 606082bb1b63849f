import {
  describeRoute,
  type LiveReport,
  type PlanDifference,
  type PlanInForce,
  type Route,
} from '../../delivery/index.ts'
import { several } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { dayAndTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { problemLines, waitingWords, waysOf } from './words.ts'

export const RELOAD = '/carriers/plan/reload'
/** Of routes that change, so that a new file of thousands is a page too. */
const MOST_ROUTES = 50

export interface ReloadView {
  inForce: PlanInForce
  /** What the file says now, compared with that; undefined when it has problems. */
  difference: PlanDifference | undefined
  isNothing: boolean
  problems: readonly string[]
  warnings: readonly string[]
  /** How many reloads were asked for, so that one page asks for one. */
  reloads: number
  gateways: number
  waitingOf(carrier: string): number
}

/** What reading the carriers again would change, or why they can't be read. */
export function reloadPage(visit: Visit, view: ReloadView): Page {
  const { inForce, problems, difference } = view
  const since = dayAndTime(inForce.since)
  return {
    title: 'Read the carriers again',
    place: 'carriers',
    middle: true,
    status: problems.length > 0 ? 422 : 200,
    body: markup`<div class="head"><h1>Read the carriers again?</h1></div>
${
  difference
    ? readable(visit, view, difference)
    : markup`<div class="note bad" role="alert"><p>The file has ${several(problems.length, 'mistake')}, so it is not read. The plan of ${since} stays in force, and nothing changes.</p>${problemLines(problems)}</div>
<p class="together"><a class="button" href="${RELOAD}">Look again</a><a href="/carriers">Leave it</a></p>`
}`,
  }
}

function readable({ form }: Visit, view: ReloadView, difference: PlanDifference): Markup {
  const { inForce, isNothing, warnings, reloads, gateways } = view
  return markup`<section class="sheet"><p>${
    isNothing
      ? markup`As this gateway reads it, nothing would change: the plan is that of ${dayAndTime(inForce.since)}.`
      : markup`As this gateway reads it, this would change in the plan of ${dayAndTime(inForce.since)}:`
  }</p>${!isNothing && changes(difference, view)}
${warnings.length > 0 && markup`<p class="strong">Probably not meant:</p>${problemLines(warnings)}`}
<p>${gateways === 0 ? 'No gateway has reported within the last half minute.' : `${several(gateways, 'running gateway reads', 'running gateways read')} it within a second.`} One that finds a mistake says so, and goes on as before.</p>
<form method="post" action="${RELOAD}">${hiddenFields(form, { after: String(reloads) })}${ending(markup`<button>Read it</button>`, '/carriers')}</form></section>`
}

function changes({ added, removed, changed, routes }: PlanDifference, { waitingOf }: ReloadView): Markup {
  const waits = (carrier: string) => `${waitingWords(waitingOf(carrier))} for it`
  return markup`<ul class="bullets">${added.map(({ carrier, place }) => markup`<li>New carrier <b><bdi>${carrier}</bdi></b> at <bdi>${place}</bdi>.</li>`)}${changed.map(({ carrier, place, settings }) => markup`<li>Carrier <b><bdi>${carrier}</bdi></b> at <bdi>${place}</bdi> is closed and opened again, with another ${settings.join(', ')}. ${waits(carrier)}.</li>`)}${removed.map(({ carrier }) => markup`<li>Carrier <b><bdi>${carrier}</bdi></b> is closed. ${waits(carrier)}${waitingOf(carrier) > 0 && ': they go by the new plan'}. Receipts that it still owes don’t come.</li>`)}${routeLines('New route', routes.added)}${routeLines('Removed route', routes.removed)}${routes.changed
    .slice(0, MOST_ROUTES)
    .map(
      ({ before, after }) =>
        markup`<li>Route <b><bdi>${describeRoute(after)}</bdi></b>: before ${waysOf(before)}; then ${waysOf(after)}.</li>`,
    )}${tooMany(routes.changed.length, 'route that changes', 'routes that change')}</ul>`
}

function routeLines(what: string, routes: readonly Route[]): Markup {
  return markup`${routes.slice(0, MOST_ROUTES).map((route) => markup`<li>${what} <b><bdi>${describeRoute(route)}</bdi></b>: ${waysOf(route)}.</li>`)}${tooMany(routes.length, `of these: ${what.toLowerCase()}`, `of these: ${what.toLowerCase()}`)}`
}

function tooMany(count: number, one: string, many: string): Markup {
  return markup`${count > MOST_ROUTES && markup`<li>${several(count - MOST_ROUTES, `more ${one}`, `more ${many}`)}.</li>`}`
}

/** What each gateway said when it was asked. Looks again until all have answered. */
export function reloadedPage(reports: readonly LiveReport[], asked: number): Page {
  const isOver = reports.every(({ reload }) => reload >= asked)
  const wrong = reports.filter(({ reload, problems }) => reload >= asked && problems.length > 0)
  return {
    title: 'Read again',
    place: 'carriers',
    middle: true,
    ...(!isOver && { headers: { refresh: '2' } }),
    body: markup`<div class="head"><h1>${!isOver ? 'The gateways read it' : wrong.length > 0 ? 'Not all could read it' : 'The carriers were read again'}</h1></div>
<section class="sheet">${reports.length === 0 ? markup`<p>No gateway runs. A gateway reads its carriers when it starts.</p>` : markup`<ul class="findings">${reports.map((report) => answerOf(report, asked))}</ul>`}
${!isOver && markup`<p class="soft small">This page looks again every two seconds. A carrier that changes may take five seconds to finish what it has; a gateway that is silent for longer may be busy or dead.</p>`}
<p><a class="button second" href="/carriers">All carriers</a></p></section>`,
  }
}

function answerOf({ name, reload, since, problems, carriers, warnings }: LiveReport, asked: number): Markup {
  const item = (tone: string, drawing: Parameters<typeof icon>[0], text: Markup) =>
    markup`<li><span class="state ${tone}">${icon(drawing)}</span><div>${text}</div></li>`
  if (reload < asked) return item('wait', 'hourglass', markup`<bdi>${name}</bdi> has not answered yet.`)
  if (problems.length > 0)
    return item(
      'bad',
      'octagon',
      markup`<bdi>${name}</bdi> found ${several(problems.length, 'mistake')}. Its plan of ${dayAndTime(since)} stays in force.${problemLines(problems)}`,
    )
  return item(
    'good',
    'disc',
    markup`<bdi>${name}</bdi> has read it: ${carriers.map(({ carrier }) => carrier).join(', ')}.${warnings.length > 0 && problemLines(warnings)}`,
  )
}
