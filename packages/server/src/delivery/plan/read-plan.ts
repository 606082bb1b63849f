import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { formatAmount, type Micros, parseAmount } from '@wigwag/contract'
import { NETWORKS } from '../../kernel/phone/networks.ts'
import type { HttpTemplate } from '../carriers/http/template.ts'
import type { CarrierSettings } from '../carriers/settings.ts'
import { checkSmppAddress, readCarrier, readSmpp, smppQuery } from './carriers.ts'
import { readAddress, readDocument } from './document.ts'
import { type Environment, type Given, Reader } from './field-reader.ts'
import { readTemplate } from './http-template.ts'
import { type CarrierPlan, PlanError } from './plan.ts'
import { type Route, RouteTable, type Way } from './routes.ts'
import { Secrets } from './secrets.ts'

interface Around {
  environment: Environment
  /** The folder that relative paths start from. */
  folder: string
  /** Whether a variable is one of the process, which a running gateway can't read again. Otherwise none is. */
  isFixed?(variable: string): boolean
}

const SETTING = 'WIGWAG_CARRIER'
const EXPECTED = 'simulator, smpp://user:password@host:2775 or file:./carriers.json'
/** Part of the address for receipts, and of metrics. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Reads the value of `WIGWAG_CARRIER`. Throws a {@link PlanError} that lists everything that is wrong. */
export function readPlan(given: string, from: Around): CarrierPlan {
  const reader = new Reader()
  const plan = /^file:/i.test(given) ? fromFile(given, from, reader) : fromSetting(given, reader)
  if (plan === undefined || reader.problems.length > 0) throw new PlanError(reader.problems)
  return plan
}

function fromSetting(text: string, reader: Reader): CarrierPlan | undefined {
  if (text === 'simulator' || text === 'simulator:') return onlyOne({ kind: 'simulator', name: 'simulator' })
  const setting: Given = { place: SETTING, namePlace: SETTING, field: '', value: text }
  const address = readAddress(text)
  if (address?.scheme === 'http' || address?.scheme === 'https') {
    const expected = 'a file, because an HTTP carrier needs a template: file:./carriers.json'
    reader.complain(setting, expected, { got: 'an http URL' })
    return undefined
  }
  if (!address || !/^smpps?$/.test(address.scheme) || address.host === '') {
    // A URL is not shown: it may hold a password, and special characters in it may be why it can't be read.
    const isUrl = /[:@]/.test(text)
    const hint = isUrl
      ? ', with a port up to 65535 and special characters of the password percent-encoded'
      : ''
    reader.complain(setting, EXPECTED + hint, { got: isUrl ? undefined : JSON.stringify(text) })
    return undefined
  }
  checkSmppAddress(reader, setting, address)
  if (address.password === undefined)
    reader.complain(setting, 'a password behind the user name', { got: 'none' })
  const fields = smppQuery(reader, address, SETTING, '')
  return onlyOne(readSmpp(reader, address.host, address, address.password ?? '', (field) => fields?.(field)))
}

/** A plan of one carrier that takes everything. */
function onlyOne(settings: CarrierSettings): CarrierPlan {
  const way = { name: settings.name, priority: 1, weight: 1, cost: undefined }
  const route = { prefix: '', networks: [], senders: [], accounts: [], ways: [way] }
  return {
    carriers: new Map([[settings.name, settings]]),
    routes: new RouteTable([route]),
    warnings: [],
    // The setting itself is read once, wherever it is written.
    fixed: settings.kind === 'simulator' ? [] : [{ carrier: settings.name, variable: SETTING }],
  }
}

function fromFile(text: string, around: Around, reader: Reader): CarrierPlan | undefined {
  const { environment, folder, isFixed = () => false } = around
  const shown = text.slice('file:'.length)
  const path = resolve(folder, shown.startsWith('//') ? shown.replace(/^\/+/, '/') : shown)
  const document = readFile(path, shown, SETTING, reader.problems)
  const field = document && reader.fields(document, ['carriers', 'routes'])
  if (document === undefined || field === undefined) return undefined

  const templates = new Map<string, HttpTemplate | undefined>()
  function templateAt(given: Given, name: string): HttpTemplate | undefined {
    const file = resolve(dirname(path), name)
    if (!templates.has(file)) {
      const template = readFile(file, name, `${given.place}: ${given.field}`, reader.problems)
      templates.set(file, template && readTemplate(reader, template))
    }
    return templates.get(file)
  }

  const entries = reader.required(document, 'carriers', field('carriers'), 'an object with carriers by name')
  const secrets = new Secrets(reader, { environment, folder: dirname(path), isFixed })
  const carriers = new Map<string, CarrierSettings>()
  const names = new Set<string>()
  const found = reader.entries(entries, 'an object with carriers by name') ?? []
  if (entries !== undefined && found.length === 0) reader.complain(entries, 'at least one carrier')
  for (const [name, given] of found) {
    names.add(name)
    if (!NAME.test(name)) {
      const expected = 'a name of 1 to 63 letters, digits, dots, - and _, with a letter or digit first'
      reader.complain(given, expected, { got: JSON.stringify(name), atName: true })
    }
    const settings = readCarrier({ reader, secrets, templateAt }, name, given)
    if (settings !== undefined) carriers.set(name, settings)
  }
  const warnings: string[] = []
  const list = reader.required(document, 'routes', field('routes'), 'a list of routes')
  const routes = readRoutes(reader, list, names, warnings)
  return { carriers, routes, warnings, fixed: secrets.fixed }
}

/** Reads a file under the name that the operator gave it. */
function readFile(path: string, shown: string, asker: string, problems: string[]): Given | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    problems.push(`${asker}: expected a file that can be read, got ${shown} (${code})`)
    return undefined
  }
  return readDocument(shown, text.replace(/^\uFEFF/, ''), problems)
}

const A_NETWORK = 'MCC and MNC in one, such as "62001"'
const LARGEST_PRIORITY = 1_000
const LARGEST_WEIGHT = 1_000_000
/** A long message costs a multiple of it, and that must be exact. */
const LARGEST_COST = parseAmount('100000000')

/** Reads the routes of the file. `names` are the carriers that it defines. */
function readRoutes(
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
  const table = new RouteTable([...places.keys()], (route, first) => {
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
