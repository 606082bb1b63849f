import { span } from '@wigwag/contract'
import { MINUTE_MS } from '../../../kernel/time/spans.ts'
import { type Markup, render } from '../../../net/pages/markup.ts'
import { countOf, upTo } from '../../count.ts'
import { listTime } from '../../times.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { ageOf, capacityOf, pathOf, stateOf } from '../carriers/carrier.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { hoursSection } from './hours.tsx'
import { type Overview, OverviewReader } from './read.ts'
import { troublesSection } from './troubles.tsx'

const EVERY_MS = 2_000

/** Whether all is well, and what to do first if not. */
export function mountOverview(pages: Pages, parts: DeskParts): void {
  const overview = new OverviewReader(parts)
  pages.show('/', LOOK, async () => ({
    title: 'Overview',
    place: 'overview',
    body: (
      <>
        <div class="head">
          <h1>Overview</h1>
          <span class="end soft small" id="live-state" />
        </div>
        <div id="part" data-live="/live">
          {overviewPart(await overview.read())}
        </div>
      </>
    ),
  }))
  pages.live('/live', LOOK, {
    read: async () => render(overviewPart(await overview.read())),
    everyMs: EVERY_MS,
  })
}

/** The live part of the page: the same for every operator. */
function overviewPart(overview: Overview): Markup {
  return (
    <>
      {troublesSection(overview)}
      {hoursSection(overview)}
      {carriersSection(overview)}
      <div class="grid">
        {waitsSection(overview)}
        {gatewaysSection(overview)}
        {databaseSection(overview)}
      </div>
    </>
  )
}

function waitsSection({ waits, carriers, setAside, dead, low }: Overview): Markup {
  const uncertain = carriers.messages.reduce((sum, each) => sum + each.uncertain, 0)
  const rows: [string, number, boolean, string?][] = [
    ['Messages for a carrier', waits.dispatch, false, '/messages/waiting'],
    ['Messages for a receipt', waits.await, false, '/messages/waiting'],
    ['Messages for their time', waits.scheduled, false],
    ['Callbacks to be posted', waits.callback, false],
    ['Uncertain: a carrier never answered', uncertain, true, '/messages/uncertain'],
    ['Set aside: keeps failing', setAside, true, '/messages/set-aside'],
    ['Callbacks given up', dead, true, '/messages/callbacks'],
    ['Wallets that run low', low, true, '/customers?low=yes'],
  ]
  return (
    <section class="sheet flush" id="waits">
      <table>
        <caption class="unseen">What waits</caption>
        {tableHead('What waits', num('Number'))}
        <tbody>
          {rows.map(([name, count, isTrouble, href]) => (
            <tr>
              <th scope="row" class="plain">
                {href === undefined ? name : <a href={href}>{name}</a>}
              </th>
              <td class={`num${isTrouble && count > 0 ? ' bad strong' : ''}`}>{upTo(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function gatewaysSection({ carriers: { reports }, now }: Overview): Markup {
  if (reports.length === 0)
    return (
      <section class="sheet">
        <h2>Gateways</h2>
        <p>No gateway has reported within the last half minute.</p>
      </section>
    )
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Gateways">
      <table>
        <caption class="unseen">Gateways</caption>
        {tableHead('Gateway', 'Version', num('Runs for'))}
        <tbody>
          {reports.map(({ name, version, startedAt }) => (
            <tr>
              <th scope="row" class="plain">
                {name}
              </th>
              <td>{version}</td>
              <td class="num">{span(now - startedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const MIB = 2 ** 20

function databaseSection({ size, now }: Overview): Markup {
  const mib = (bytes: number) => `${countOf(Math.round((10 * bytes) / MIB) / 10)} MiB`
  return (
    <section class="sheet">
      <h2>Database</h2>
      <dl class="facts">
        <div>
          <dt>Size</dt>
          <dd>{mib(size.data)}</dd>
        </div>
        {size.log !== undefined && (
          <div>
            <dt>Log</dt>
            <dd>{mib(size.log)}</dd>
          </div>
        )}
        <div>
          <dt>Read at</dt>
          <dd>{listTime(Math.floor(now / MINUTE_MS) * MINUTE_MS, now)}</dd>
        </div>
      </dl>
      <p class="soft small">wigwag doctor checks the ledger and every secret too, which takes longer.</p>
    </section>
  )
}

/** Each carrier: how it is, how many more messages it takes now, and what waits for it. */
function carriersSection({ carriers, now }: Overview): Markup {
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
    const title =
      name === '' ? (
        'Without a carrier'
      ) : (
        <a href={pathOf(name)}>
          <bdi>{name}</bdi>
        </a>
      )
    const state = name === '' ? <span class="soft">–</span> : stateOf(own, paused, now)
    return (
      <tr>
        <th scope="row" class="plain">
          {title}
        </th>
        <td class="plain">{state}</td>
        <td class="num">{name === '' ? '–' : upTo(capacityOf(own, paused !== undefined))}</td>
        <td class="num">{upTo(waiting?.waiting ?? 0)}</td>
        <td class="num">{ageOf(waiting, now)}</td>
        <td class={`num${(waiting?.uncertain ?? 0) > 0 ? ' bad strong' : ''}`}>
          {upTo(waiting?.uncertain ?? 0)}
        </td>
      </tr>
    )
  })
  if (rows.length === 0)
    return (
      <section class="sheet" id="carriers">
        <h2>Carriers</h2>
        <p>No gateway has reported carriers.</p>
      </section>
    )
  return (
    <section class="sheet flush wide-table" id="carriers" tabindex={0} role="group" aria-label="Carriers">
      <table>
        <caption class="unseen">Carriers</caption>
        {tableHead('Carrier', 'State', num('Capacity'), num('Backlog'), num('Oldest'), num('Uncertain'))}
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}
