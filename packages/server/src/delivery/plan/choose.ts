import type { CarrierPlan } from './plan.ts'
import type { Route, Routed, Way } from './routes.ts'

/**
 * The carriers to try, in order; none when no route takes the message. Those that are up come before the others, then
 * the lowest priority. Among equals a hash of the ticket decides by weight, so that a message always gets the same
 * order, and adding or removing a carrier moves only the messages of that carrier.
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
