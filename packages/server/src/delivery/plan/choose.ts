import type { Micros } from '@wigwag/contract'
import type { OutgoingMessage } from '../../kernel/message.ts'
import type { CarrierPlan } from './plan.ts'
import { type Route, type Routed, type RouteTable, rankOf, type Way } from './routes.ts'

/** Which carriers take a message, as the routes and the carriers' states say now. */
export interface Choice {
  /** The names of the message's carriers, the best first. */
  ways(message: OutgoingMessage): readonly string[]
  /** Whether a carrier takes messages now. */
  isUp(carrier: string): boolean
  /** Whether a carrier is paused or has no connection. A resting carrier counts as neither up nor away. */
  isAway(carrier: string): boolean
  /** The cost of a part of the message, which the operator pays; undefined when its route does not say. */
  costOf(message: OutgoingMessage, carrier: string): Micros | undefined
}

/**
 * The carriers to try, in order; none when no route takes the message. Carriers that are up come first, then
 * the lowest priority. Among equals a hash of the ticket decides by weight, so that a message always gets the
 * same order, and adding or removing a carrier moves only the messages of that carrier.
 */
export function choose(plan: CarrierPlan, message: Routed, isUp: (name: string) => boolean): readonly Way[] {
  const ways = plan.routes.find(message)?.ways ?? []
  const [first, second] = ways
  if (first === undefined || second === undefined) return ways
  const seed = hash(message.ticket, START)
  const ranked = ways.map((way) => ({ way, up: isUp(way.name), turn: turnOf(way, seed) }))
  ranked.sort((a, b) => Number(b.up) - Number(a.up) || a.way.priority - b.way.priority || a.turn - b.turn)
  return ranked.map(({ way }) => way)
}

/** The way of the message's route that names this carrier. */
export function wayOf(plan: CarrierPlan, message: Routed, name: string): Way | undefined {
  const route: Route | undefined = plan.routes.find(message)
  return route?.ways.find((way) => way.name === name)
}

/** Weighted rendezvous hashing: the smallest turn goes first, in proportion to the weights. */
function turnOf(way: Way, seed: number): number {
  const share = (mix(hash(way.name, seed)) + 1) / 2 ** 32
  return -Math.log(share) / way.weight
}

const START = 0x811c9dc5

/** FNV-1a. */
function hash(text: string, start: number): number {
  let value = start
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}

/** Spreads a change of any bit over all bits, since tickets of one moment differ little. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** A route that was considered for a message, and why it does or does not take it. */
export interface ConsideredRoute {
  route: Route
  /** `fits`: it would take the message if no other did. */
  result: 'takes' | 'fits' | 'misses'
  reason: string
}

/** All routes with what becomes of a message at each: the one that takes it, then those that fit, then the others. */
export function consider(table: RouteTable, message: Routed): ConsideredRoute[] {
  const taking = table.find(message)
  const considered = table.routes.map((route): ConsideredRoute => {
    const misses = missesOf(route, message)
    if (route === taking) return { route, result: 'takes', reason: 'it fits, and no other is as specific' }
    if (misses.length > 0 || taking === undefined)
      return { route, result: 'misses', reason: misses.join('; ') }
    return { route, result: 'fits', reason: whyLess(route, taking) }
  })
  return considered.sort(
    (a, b) =>
      ORDER.indexOf(a.result) - ORDER.indexOf(b.result) ||
      rankOf(a.route) - rankOf(b.route) ||
      b.route.prefix.length - a.route.prefix.length,
  )
}

const ORDER: readonly ConsideredRoute['result'][] = ['takes', 'fits', 'misses']

function missesOf(
  { accounts, senders, networks, prefix }: Route,
  { accountId, sender, network, recipient }: Routed,
): string[] {
  const misses = (values: readonly string[], value: string) => values.length > 0 && !values.includes(value)
  return [
    ...(misses(accounts, accountId)
      ? [accountId === '' ? 'no account is given' : `the account is ${accountId}`]
      : []),
    ...(misses(senders, sender) ? [sender === '' ? 'no sender is given' : `the sender is ${sender}`] : []),
    ...(misses(networks, network ?? '')
      ? [network === null ? 'the network is not known' : `the network is ${network}`]
      : []),
    ...(recipient.startsWith(prefix) ? [] : [`the number does not begin with ${prefix}`]),
  ]
}

/** The first difference decides, in the order of the ranks. */
function whyLess(route: Route, taking: Route): string {
  const names = [
    ['accounts', 'the account'],
    ['senders', 'the sender'],
    ['networks', 'the network'],
  ] as const
  const [, name] = names.find(([key]) => taking[key].length > 0 && route[key].length === 0) ?? []
  return name === undefined
    ? `it fits, but a route with the longer prefix ${taking.prefix} comes first`
    : `it fits, but a route that names ${name} comes first`
}
