import { counted, span } from '@wigwag/contract'
import {
  type CarrierLine,
  type CarrierMessages,
  type CarrierOverview,
  type CarrierPause,
  type CarrierPlan,
  carrierOverview,
  describeRoute,
  type PlanInForce,
  pauseOf,
  type Route,
} from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, MOST_COUNTED } from '../../count.ts'
import { type IconName, icon } from '../../icons.tsx'
import { listTime } from '../../times.tsx'
import { amountOf } from '../../widgets/money.tsx'
import { type Page, refusal, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'

/** All carriers, as far as the database and this process know. */
export interface CarriersRead {
  overview: CarrierOverview
  carriers: readonly CarrierRead[]
  inForce: PlanInForce
  now: EpochMs
}

/** One carrier, in all gateways. */
export interface CarrierRead {
  /** Empty for messages without a carrier. */
  name: string
  lines: readonly CarrierLine[]
  paused: PausedState | undefined
  messages: CarrierMessages | undefined
}

export async function readCarriers({ database, clock, planInForce }: DeskParts): Promise<CarriersRead> {
  const now = clock.now()
  const inForce = planInForce()
  return database.read(async (tx) => {
    const overview = await carrierOverview(tx, now, MOST_COUNTED)
    const { reports, paused, messages } = overview
    const lines = reports.flatMap((report) => report.carriers)
    const names = new Set([
      ...inForce.plan.carriers.keys(),
      ...lines.map(({ carrier }) => carrier),
      ...messages.map(({ carrier }) => carrier),
      ...paused.keys(),
    ])
    const carriers: CarrierRead[] = []
    for (const name of [...names].sort()) {
      const at = paused.get(name)
      carriers.push({
        name,
        lines: lines.filter(({ carrier }) => carrier === name),
        paused: at === undefined ? undefined : { at, pause: await pauseOf(tx, name, at) },
        messages: messages.find(({ carrier }) => carrier === name),
      })
    }
    return { overview, carriers, inForce, now }
  })
}

/** The address of a carrier's page, or of one below it. */
export function pathOf(carrier: string, below = ''): string {
  return `/carriers/${encodeURIComponent(carrier)}${below}`
}

/** Work on the carrier that the address names. */
export function onCarrier<Rest extends unknown[]>(
  parts: DeskParts,
  work: (carrier: CarrierRead, read: CarriersRead, visit: Visit, ...rest: Rest) => Promise<Page | Response>,
): (visit: Visit, ...rest: Rest) => Promise<Page | Response> {
  return async (visit, ...rest) => {
    const read = await readCarriers(parts)
    const name = visit.c.req.param('name')
    const carrier = read.carriers.find((one) => one.name === name)
    return carrier ? work(carrier, read, visit, ...rest) : noCarrier()
  }
}

export function noCarrier(): Page {
  return refusal(404, {
    title: 'There is no such carrier',
    text: 'No carrier of the plan or of a running gateway has this name.',
    link: { href: '/carriers', text: 'See the carriers' },
  })
}

export interface PausedState {
  at: EpochMs
  /** By whom and why, where that is known. */
  pause?: CarrierPause | undefined
}

/** How a carrier is, as a sentence: of all gateways the best. Where some differ, their number. */
export function stateOf(
  lines: readonly CarrierLine[],
  paused: PausedState | undefined,
  now: EpochMs,
): Markup {
  if (paused) {
    const { actor, reason } = paused.pause ?? {}
    const by = actor !== undefined && (
      <>
        {' '}
        by <bdi>{actor.replace(/^operator:/, '')}</bdi>
      </>
    )
    return mark(
      ...(['idle', 'broken'] as const),
      <>
        Paused{by} since {listTime(paused.at, now)}, for {span(now - paused.at)}
        {reason !== undefined && (
          <>
            : <bdi>{reason}</bdi>
          </>
        )}
      </>,
    )
  }
  const [first] = lines
  if (!first) return mark('idle', 'broken', 'No gateway runs it')
  const up = lines.filter(({ kind }) => kind === 'up')
  const where = up.length === lines.length ? '' : ` in ${up.length} of ${counted(lines.length, 'gateway')}`
  if (up.length > 0) return mark('good', 'disc', <>Up{where}</>)
  const why = first.reason === '' ? '' : `: ${first.reason}`
  const isResting = lines.some(({ kind }) => kind === 'resting')
  const words = `${isResting ? 'Asks for fewer' : 'Away'} for ${span(now - first.since)}${why}`
  return isResting ? mark('wait', 'hourglass', words) : mark('bad', 'cross', words)
}

function mark(tone: string, drawing: IconName, text: Markup | string): Markup {
  return (
    <span class={`state plain ${tone}`}>
      {icon(drawing)}
      <span class="word">{text}</span>
    </span>
  )
}

/** How many more messages the gateways together can give it now. */
export function capacityOf(lines: readonly CarrierLine[], isPaused: boolean): number {
  return lines.reduce((sum, { kind, capacity }) => sum + (kind === 'up' && !isPaused ? capacity : 0), 0)
}

export function ageOf(waiting: CarrierMessages | undefined, now: EpochMs): string {
  return waiting?.oldest === undefined ? '–' : span(now - waiting.oldest)
}

/** `1 message waits`, `more than 10,000 messages wait` */
export function waitingWords(count: number): string {
  if (count === 0) return 'No message waits'
  if (count >= MOST_COUNTED) return `More than ${countOf(MOST_COUNTED)} messages wait`
  return count === 1 ? '1 message waits' : `${countOf(count)} messages wait`
}

/** Costs have no currency. */
export function amount(value: number | undefined): string {
  return value === undefined ? '–' : amountOf(value)
}

/** The conditions of a route as the beginning of a sentence or a cell. */
export function routeName(route: Route): string {
  const text = describeRoute(route)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Where a route leads: `north (priority 1, weight 3, 0.01 a part), south (…)` */
export function waysOf({ ways }: Route): Markup {
  return (
    <>
      {ways.map(({ name, priority, weight, cost }, index) => {
        const facts = [
          `priority ${priority}`,
          `weight ${weight}`,
          ...(cost === undefined ? [] : [`${amount(cost)} a part`]),
        ]
        return (
          <>
            {index > 0 && ', '}
            <a href={pathOf(name)}>
              <bdi>{name}</bdi>
            </a>{' '}
            <span class="soft small">({facts.join(', ')})</span>
          </>
        )
      })}
    </>
  )
}

/** The routes that lead to a carrier: those with others beside it, and those with it alone. */
export function routesTo({ routes }: CarrierPlan, carrier: string): { shared: Route[]; alone: Route[] } {
  const own = routes.routes.filter(({ ways }) => ways.some(({ name }) => name === carrier))
  return {
    shared: own.filter(({ ways }) => ways.length > 1),
    alone: own.filter(({ ways }) => ways.length === 1),
  }
}

/** The lines of a carriers' file that are wrong, each with its place. */
export function problemLines(lines: readonly string[]): Markup {
  return (
    <ul class="bullets problems">
      {lines.map((line) => (
        <li class="mono small">{line}</li>
      ))}
    </ul>
  )
}
