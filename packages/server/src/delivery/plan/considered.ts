import { type Route, type Routed, type RouteTable, rankOf } from './routes.ts'

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
