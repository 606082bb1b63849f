import { findAccount } from '../../../accounts/index.ts'
import { describeRoute, type Forecast, forecast, shareInWords } from '../../../delivery/index.ts'
import { NETWORKS } from '../../../kernel/phone/networks.ts'
import { checkSender } from '../../../kernel/sent-fields.ts'
import { enteredRecipient } from '../../../kernel/text/entered.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { type Problems, readFields, textBoxes, typedIn } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { amount, pathOf, routeName } from './carrier.tsx'

/** Which way a number would go: by the plan in force, and with nothing sent. */
export function mountWay(pages: Pages, { database, workOf, planInForce }: DeskParts): void {
  pages.show('/carriers/plan/way', LOOK, async ({ c }) => {
    const query = new URL(c.req.url).searchParams
    const typed = typedIn(query, WAY_FIELDS)
    if (!query.has('number')) return wayPage({ typed })
    const read = readFields<{ number: string; from: string }>(query, {
      number: enteredRecipient,
      from: (text) => {
        if (text.trim() !== '') checkSender(text.trim())
        return text.trim()
      },
    })
    if ('problems' in read) return wayPage({ typed, problems: read.problems })
    const { number, from } = read.values
    const account = typed.account?.trim() ?? ''
    const accountId = account === '' ? '' : (await database.read((tx) => findAccount(tx, account)))?.id
    if (accountId === undefined)
      return wayPage({ typed, problems: { account: 'Expected the account ID or e-mail of a customer.' } })
    const reports = await workOf({ actor: 'gateway' }).carriers.reports()
    const found = forecast(planInForce().plan, { recipient: number, sender: from, accountId }, reports)
    return wayPage({ typed, number, forecast: found })
  })
}

const WAY_FIELDS = ['number', 'from', 'account']
/** Routes that miss are shown up to here. */
const MOST_ROUTES = 50

interface WayView {
  typed: Problems
  problems?: Problems | undefined
  number?: string | undefined
  forecast?: Forecast | undefined
}

/** Which carriers would get a message to a number, and what each route says of it. */
function wayPage({ typed, problems, number, forecast: found }: WayView): Page {
  return {
    title: 'Which way would it go?',
    place: 'carriers',
    status: problems ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Which way would a number go?</h1>
        </div>
        <section class="sheet">{wayForm(typed, problems)}</section>
        {found && number !== undefined && answer(found, number)}
        <p>
          <a href="/carriers">All carriers</a>
        </p>
      </>
    ),
  }
}

export function wayForm(typed: Problems, problems: Problems = {}): Markup {
  const input = textBoxes(typed, problems, { spellcheck: false })
  return (
    <form method="get" action="/carriers/plan/way">
      <p>Nothing is sent. It goes by the plan in force, and by how the carriers are now.</p>
      <div class="filters">
        {input('number', 'Number', 'Such as +233 24 123 4567', {
          inputmode: 'tel',
          required: true,
        })}
        {input('from', 'Sender ID', 'May be empty')}
        {input('account', 'Customer', 'Account ID or e-mail; may be empty')}
      </div>
      <p>
        <button>Show the way</button>
      </p>
    </form>
  )
}

function answer({ network, route, ways, considered }: Forecast, number: string): Markup {
  const named = NETWORKS.find(({ mcc, mnc }) => mcc + mnc === network)
  const where =
    network === null
      ? 'its network is not known'
      : `its network is ${named?.name ?? ''} ${network}`.replace('  ', ' ')
  const misses = considered.filter(({ result }) => result === 'misses')
  const shown = [...considered.filter(({ result }) => result !== 'misses'), ...misses.slice(0, MOST_ROUTES)]
  const [first] = ways
  const sentence = !route ? (
    <>
      No route takes <span class="mono">{number}</span> ({where}): messages to it are rejected.
    </>
  ) : (
    <>
      <span class="mono">{number}</span> ({where}) goes by the route “<bdi>{describeRoute(route)}</bdi>”
      {first && (
        <>
          , to <bdi>{first.name}</bdi> first{first.share < 100 && ` (${first.share} of 100 messages)`}
        </>
      )}
      .
    </>
  )
  return (
    <>
      <section class="sheet">
        <h2>{route ? 'It would go' : 'It would not go'}</h2>
        <p class="strong">{sentence}</p>
      </section>
      {route && carriersTried(ways)}
      <section
        class="sheet flush wide-table"
        tabindex={0}
        role="group"
        aria-label="The routes that were looked at"
      >
        <table>
          <caption class="unseen">The routes that were looked at</caption>
          {tableHead('Route', 'Taken, and why')}
          <tbody>
            {shown.map(({ route: each, result, reason }) => (
              <tr>
                <th scope="row" class="plain">
                  <bdi>{routeName(each)}</bdi>
                </th>
                <td class="plain">
                  {RESULTS[result]}
                  <br />
                  <bdi>{reason.charAt(0).toUpperCase() + reason.slice(1)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {misses.length > MOST_ROUTES && (
          <div class="pages">
            <span>{countOf(misses.length - MOST_ROUTES)} more do not fit</span>
          </div>
        )}
      </section>
    </>
  )
}

const RESULTS = {
  takes: <span class="state good">{icon('disc')}Yes</span>,
  fits: <span class="state idle">{icon('dot')}Fits, comes later</span>,
  misses: <span class="state idle">{icon('cross')}No</span>,
}

const STATES = {
  up: <span class="state good">{icon('disc')}Up</span>,
  resting: <span class="state wait">{icon('hourglass')}Asks for fewer</span>,
  away: <span class="state bad">{icon('cross')}Away</span>,
  paused: <span class="state idle">{icon('broken')}Paused</span>,
  unknown: <span class="state idle">{icon('broken')}No gateway runs it</span>,
}

function carriersTried(ways: Forecast['ways']): Markup {
  return (
    <section
      class="sheet flush wide-table"
      tabindex={0}
      role="group"
      aria-label="The carriers that are tried, in order"
    >
      <table>
        <caption class="unseen">The carriers that are tried, in order</caption>
        {tableHead('Carrier', 'State', num('Priority'), num('Weight'), num('Share'), num('Cost of a part'))}
        <tbody>
          {ways.map(({ name, state, priority, weight, cost, ...way }) => (
            <tr>
              <th scope="row" class="plain">
                <a href={pathOf(name)}>
                  <bdi>{name}</bdi>
                </a>
              </th>
              <td>{STATES[state]}</td>
              <td class="num">{priority}</td>
              <td class="num">{weight}</td>
              <td class="num">{state === 'up' || state === 'unknown' ? shareInWords(way) : '–'}</td>
              <td class="num">{amount(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
