import type { Micros } from '@wigwag/contract'
import type { OutgoingMessage } from '../../kernel/message.ts'

/** The properties of a message that a route may ask for. */
export interface Routed {
  ticket: string
  /** Digits, with the country code and without a plus. */
  recipient: string
  sender: string
  accountId: string
  /** MCC and MNC in one, such as `62001`; null when it is not known. */
  network: string | null
}

/** The properties of a message that decide its route. */
export function routed({
  id,
  sender,
  accountId,
  to: { digits, network },
}: Pick<OutgoingMessage, 'id' | 'sender' | 'accountId' | 'to'>): Routed {
  const mccMnc = network ? network.mcc + network.mnc : null
  return { ticket: id, sender, accountId, recipient: digits, network: mccMnc }
}

/** A carrier that may take a message. */
export interface Way {
  readonly name: string
  /** The lowest goes first. */
  readonly priority: number
  /** The share among carriers of one priority. */
  readonly weight: number
  /** The cost of a part, which the operator pays. */
  readonly cost: Micros | undefined
}

/** Takes the messages that fit all its conditions. An empty list means any. */
export interface Route {
  /** The first digits of the recipient; empty for any. */
  readonly prefix: string
  readonly networks: readonly string[]
  readonly senders: readonly string[]
  readonly accounts: readonly string[]
  /** At least one, sorted by priority. */
  readonly ways: readonly Way[]
}

interface Digit {
  route: Route | undefined
  readonly next: (Digit | undefined)[]
}

/**
 * The conditions that a route may have, from the most specific to the least. A route that names the account wins over
 * those that don't; then one that names the sender; then one that names the network; then the longest prefix. Who
 * sends is what a contract is about, so it comes before where to.
 */
const RANKS = [
  { account: true, sender: true, network: true },
  { account: true, sender: true, network: false },
  { account: true, sender: false, network: true },
  { account: true, sender: false, network: false },
  { account: false, sender: true, network: true },
  { account: false, sender: true, network: false },
  { account: false, sender: false, network: true },
  { account: false, sender: false, network: false },
]
type Rank = (typeof RANKS)[number]

/** The routes, for each rank and each combination of values as one tree of prefixes. */
export class RouteTable {
  readonly routes: readonly Route[]
  readonly #used: readonly { rank: Rank; trees: ReadonlyMap<string, Digit> }[]

  /** `onRepeated` is told when two routes have the same conditions; the first keeps them. */
  constructor(routes: readonly Route[], onRepeated: (route: Route, first: Route) => void = () => {}) {
    this.routes = routes
    const groups = RANKS.map((rank) => ({ rank, trees: new Map<string, Digit>() }))
    for (const route of routes) {
      const group = groups[rankOf(route)]
      if (group === undefined) continue
      const firsts = new Set<Route>()
      for (const key of keysOf(route)) {
        const first = plant(treeFor(group.trees, key), route)
        if (first !== undefined) firsts.add(first)
      }
      for (const first of firsts) onRepeated(route, first)
    }
    this.#used = groups.filter(({ trees }) => trees.size > 0)
  }

  /** The most specific route that takes the message. */
  find(message: Routed): Route | undefined {
    for (const { rank, trees } of this.#used) {
      const tree = trees.get(keyFor(message, rank))
      const route = tree === undefined ? undefined : longest(tree, message.recipient)
      if (route !== undefined) return route
    }
    return undefined
  }
}

/** How specific the conditions of a route are: the lowest comes first. */
export function rankOf({ accounts, senders, networks }: Route): number {
  return RANKS.findIndex(
    ({ account, sender, network }) =>
      accounts.length > 0 === account && senders.length > 0 === sender && networks.length > 0 === network,
  )
}

function keyFor({ accountId, sender, network }: Routed, rank: Rank): string {
  return key(rank.account ? accountId : '', rank.sender ? sender : '', rank.network ? (network ?? '') : '')
}

/** Every combination of an account, a sender and a network that the route takes. */
function keysOf({ accounts, senders, networks }: Route): string[] {
  const any = (values: readonly string[]) => (values.length === 0 ? [''] : values)
  return any(accounts).flatMap((account) =>
    any(senders).flatMap((sender) => any(networks).map((network) => key(account, sender, network))),
  )
}

function key(account: string, sender: string, network: string): string {
  return `${account}\n${sender}\n${network}`
}

function treeFor(trees: Map<string, Digit>, key: string): Digit {
  const known = trees.get(key)
  if (known !== undefined) return known
  const fresh: Digit = { route: undefined, next: [] }
  trees.set(key, fresh)
  return fresh
}

/** Returns the route that has the prefix already. */
function plant(tree: Digit, route: Route): Route | undefined {
  let node = tree
  for (const digit of route.prefix) {
    const child: Digit = node.next[Number(digit)] ?? { route: undefined, next: [] }
    node.next[Number(digit)] = child
    node = child
  }
  if (node.route !== undefined) return node.route
  node.route = route
  return undefined
}

function longest(tree: Digit, recipient: string): Route | undefined {
  let found = tree.route
  let node: Digit | undefined = tree
  for (let i = 0; i < recipient.length; i++) {
    node = node.next[recipient.charCodeAt(i) - 48]
    if (node === undefined) break
    found = node.route ?? found
  }
  return found
}

/** The conditions of a route, for people. */
export function describeRoute({ prefix, networks, senders, accounts }: Route): string {
  const conditions = [
    ...(accounts.length > 0 ? [`account ${accounts.join(' or ')}`] : []),
    ...(senders.length > 0 ? [`sender ${senders.join(' or ')}`] : []),
    ...(networks.length > 0 ? [`network ${networks.join(' or ')}`] : []),
    ...(prefix === '' ? [] : [`prefix ${prefix}`]),
  ]
  return conditions.join(', ') || 'the one for everything'
}
