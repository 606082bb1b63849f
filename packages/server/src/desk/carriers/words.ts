import { counted, formatAmount, type Micros, span } from '@wigwag/contract'
import {
  type CarrierLine,
  type CarrierMessages,
  type CarrierPause,
  type CarrierPlan,
  describeRoute,
  type Route,
} from '../../delivery/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { countOf } from '../../pages/count.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** The most waiting messages that are counted, so that a glance costs the same with a million. */
export const MOST_COUNTED = 10_000

/** The address of a carrier's page, or of one below it. */
export function pathOf(carrier: string, below = ''): string {
  return `/carriers/${encodeURIComponent(carrier)}${below}`
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
    const by = actor !== undefined && markup` by <bdi>${actor.replace(/^operator:/, '')}</bdi>`
    return mark(
      ...(['idle', 'broken'] as const),
      markup`Paused${by} since ${listTime(paused.at, now)}, for ${span(now - paused.at)}${reason !== undefined && markup`: <bdi>${reason}</bdi>`}`,
    )
  }
  const [first] = lines
  if (!first) return mark('idle', 'broken', markup`No gateway runs it`)
  const up = lines.filter(({ kind }) => kind === 'up')
  const where = up.length === lines.length ? '' : ` in ${up.length} of ${counted(lines.length, 'gateway')}`
  if (up.length > 0) return mark('good', 'disc', markup`Up${where}`)
  const why = first.reason === '' ? '' : `: ${first.reason}`
  const isResting = lines.some(({ kind }) => kind === 'resting')
  const words = `${isResting ? 'Asks for fewer' : 'Away'} for ${span(now - first.since)}${why}`
  return isResting ? mark('wait', 'hourglass', markup`${words}`) : mark('bad', 'cross', markup`${words}`)
}

function mark(tone: string, drawing: IconName, text: Markup): Markup {
  return markup`<span class="state plain ${tone}">${icon(drawing)}<span class="word">${text}</span></span>`
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
  return value === undefined ? '–' : formatAmount(value as Micros)
}

/** The conditions of a route as the beginning of a sentence or a cell. */
export function routeName(route: Route): string {
  const text = describeRoute(route)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Where a route leads: `north (priority 1, weight 3, 0.01 a part), south (…)` */
export function waysOf({ ways }: Route): Markup {
  return markup`${ways.map(({ name, priority, weight, cost }, index) => {
    const facts = [
      `priority ${priority}`,
      `weight ${weight}`,
      ...(cost === undefined ? [] : [`${amount(cost)} a part`]),
    ]
    return markup`${index > 0 && ', '}<a href="${pathOf(name)}"><bdi>${name}</bdi></a> <span class="soft small">(${facts.join(', ')})</span>`
  })}`
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
  return markup`<ul class="bullets problems">${lines.map((line) => markup`<li class="mono small">${line}</li>`)}</ul>`
}
