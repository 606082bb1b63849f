import { formatAmount, type Micros, parseAmount } from '@wigwag/contract'
import { NETWORKS } from '../../domain/phone/networks.ts'
import type { Given, Reader } from './field-reader.ts'
import { createRouteTable, type Route, type RouteTable, type Way } from './routes.ts'

const A_NETWORK = 'MCC and MNC in one, such as "62001"'
const LARGEST_PRIORITY = 1_000
const LARGEST_WEIGHT = 1_000_000
/** A long message costs a multiple of it, and that must be exact. */
const LARGEST_COST = parseAmount('100000000')

/** Reads the routes of the file. `names` are the carriers that it defines. */
export function readRoutes(
  reader: Reader,
  given: Given | undefined,
  names: ReadonlySet<string>,
  warnings: string[],
): RouteTable {
  const places = new Map<Route, Given>()
  const items = reader.list(given, 'a list of routes') ?? []
  if (given !== undefined && items.length === 0) reader.complain(given, 'at least one route')
  for (const item of items) {
    const route = readRoute(reader, item, names, warnings)
    if (route !== undefined) places.set(route, item)
  }
  const table = createRouteTable([...places.keys()], (route, first) => {
    const place = places.get(route)
    const before = places.get(first)
    if (place === undefined || before === undefined) return
    reader.complain(place, 'conditions that no other route has', {
      got: `those of ${before.field} (${before.place})`,
    })
  })
  warnings.push(...unused(places, names), ...missing(table))
  return table
}

function readRoute(
  reader: Reader,
  given: Given,
  names: ReadonlySet<string>,
  warnings: string[],
): Route | undefined {
  const field = reader.fields(given, ['prefix', 'network', 'sender', 'account', 'carriers'])
  if (field === undefined) return undefined
  const before = reader.problems.length
  const networks = reader.texts(field('network'), A_NETWORK, /^\d{5,6}$/) ?? []
  for (const network of networks) {
    if (NETWORKS.some(({ mcc, mnc }) => mcc + mnc === network)) continue
    warnings.push(`${given.place}: ${given.field}.network: no numbers are known for network ${network}`)
  }
  const expected = 'a list of carriers'
  const carriers = reader.required(given, 'carriers', field('carriers'), expected)
  const items = reader.list(carriers, expected) ?? []
  if (carriers !== undefined && items.length === 0) reader.complain(carriers, 'at least one carrier')
  const ways = items.flatMap((item) => readWay(reader, item, names) ?? [])
  for (const [index, way] of ways.entries()) {
    const hasChangedMeanwhile = ways.findIndex(({ name }) => name === way.name) < index
    if (hasChangedMeanwhile)
      reader.complain(items[index] ?? given, 'each carrier once in a route', { got: `${way.name} again` })
  }
  const route = {
    prefix: reader.text(field('prefix'), 'digits without a plus, such as "23324"', /^\d{0,15}$/) ?? '',
    networks,
    senders: reader.texts(field('sender'), 'a sender or a list of them', /./) ?? [],
    accounts: reader.texts(field('account'), 'an account or a list of them', /./) ?? [],
    ways: ways.toSorted((a, b) => a.priority - b.priority),
  }
  // Conditions that could not be read would look like those of another route.
  return reader.problems.length === before ? route : undefined
}

function readWay(reader: Reader, given: Given, names: ReadonlySet<string>): Way | undefined {
  const field = reader.fields(given, ['name', 'priority', 'weight', 'cost'])
  const named = field && reader.required(given, 'name', field('name'), 'the name of a carrier')
  const name = reader.text(named, 'the name of a carrier')
  if (field === undefined) return undefined
  if (named !== undefined && name !== undefined && !names.has(name)) {
    reader.oneOf(named, [...names])
  }
  return {
    name: name ?? '',
    priority: reader.whole(field('priority'), 0, LARGEST_PRIORITY) ?? 1,
    weight: reader.whole(field('weight'), 1, LARGEST_WEIGHT) ?? 1,
    cost: readCost(reader, field('cost')),
  }
}

function readCost(reader: Reader, given: Given | undefined): Micros | undefined {
  const text = reader.text(given, 'an amount in quotes, such as "0.045"')
  if (given === undefined || text === undefined) return undefined
  try {
    const cost = parseAmount(text)
    if (cost <= LARGEST_COST) return cost
  } catch {}
  reader.complain(
    given,
    `an amount up to ${formatAmount(LARGEST_COST)} such as "50" or "0.045", with at most 6 decimals`,
  )
  return undefined
}

function unused(places: ReadonlyMap<Route, Given>, names: ReadonlySet<string>): string[] {
  const used = new Set([...places.keys()].flatMap(({ ways }) => ways.map(({ name }) => name)))
  return [...names]
    .filter((name) => !used.has(name))
    .map((name) => `carriers.${name}: no route uses this carrier`)
}

function missing({ routes }: RouteTable): string[] {
  const isForAll = routes.some(
    ({ prefix, networks, senders, accounts }) =>
      prefix === '' && networks.length + senders.length + accounts.length === 0,
  )
  if (isForAll) return []
  return ['routes: none is for everything (prefix "" alone): messages that fit no route will be rejected']
}
