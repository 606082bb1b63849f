import type { Micros } from '@wigwag/contract'
import type { Ticket } from '../../kernel/ids.ts'
import { recipientOf } from '../../kernel/phone/phone.ts'
import { type CarrierPlan, type ConsideredRoute, consider, routed, wayOf } from '../plan/index.ts'
import type { Route, Way } from '../plan/routes.ts'
import type { LiveReport } from './switches.ts'

/** Which carriers would get a message. */
export interface Forecast {
  /** MCC and MNC in one; null when the network is not known. */
  network: string | null
  /** Undefined when no route takes the message. */
  route: Route | undefined
  /** Carriers to try, in order. */
  ways: readonly ForecastWay[]
  /** Every route, and why it takes the message or does not. */
  considered: readonly ConsideredRoute[]
}

export interface ForecastWay extends Way {
  /** Of the best process; `unknown` when no running process has the carrier. */
  state: WayState
  /** Of a hundred messages that get as far as its priority, how many try it first. */
  share: number
  /** Whether it is tried before those of another priority or state. */
  isFirst: boolean
}

export type WayState = 'up' | 'resting' | 'away' | 'paused' | 'unknown'

export interface ForecastMessage {
  recipient: string
  sender: string
  accountId: string
}

/** Says which way messages go, without one at hand: among equals the heaviest comes first, with its share. */
export function forecast(
  plan: CarrierPlan,
  message: ForecastMessage,
  reports: readonly LiveReport[],
): Forecast {
  const asked = routed({ id: '' as Ticket, ...message, to: recipientOf(message.recipient) })
  const route = plan.routes.find(asked)
  const ways = (route?.ways ?? []).map((way) => ({ ...way, state: stateIn(reports, way.name) }))
  // Without a running gateway nothing is known against a carrier.
  const rank = ({ state }: { state: WayState }) => (state === 'up' || reports.length === 0 ? 0 : 1)
  ways.sort((a, b) => rank(a) - rank(b) || a.priority - b.priority || b.weight - a.weight)
  return {
    network: asked.network,
    route,
    ways: ways.map((way) => {
      const equals = ways.filter((other) => other.priority === way.priority && rank(other) === rank(way))
      const total = equals.reduce((sum, { weight }) => sum + weight, 0)
      return { ...way, share: Math.round((100 * way.weight) / total), isFirst: ways[0] === equals[0] }
    }),
    considered: consider(plan.routes, asked),
  }
}

/** `75 %` of all messages, `then 100 %` of those that the carriers before could not take. */
export function shareInWords({ share, isFirst }: Pick<ForecastWay, 'share' | 'isFirst'>): string {
  return `${isFirst ? '' : 'then '}${share} %`
}

/** The cost of a part of a message at a carrier, by the current routes; undefined where they don't say it. */
export function partCost(plan: CarrierPlan, message: ForecastMessage, carrier: string): Micros | undefined {
  return wayOf(plan, routed({ id: '' as Ticket, ...message, to: recipientOf(message.recipient) }), carrier)
    ?.cost
}

const BEST_FIRST: readonly WayState[] = ['up', 'resting', 'paused', 'away']

/** A message goes to the process that can submit it, so the best state counts. */
function stateIn(reports: readonly LiveReport[], name: string): WayState {
  const states = reports.flatMap(({ carriers }) =>
    carriers.filter(({ carrier }) => carrier === name).map(({ paused, kind }) => (paused ? 'paused' : kind)),
  )
  return BEST_FIRST.find((state) => states.some((found) => found === state)) ?? 'unknown'
}
