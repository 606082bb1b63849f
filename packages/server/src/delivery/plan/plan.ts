import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CarrierSettings } from '../carriers/settings.ts'
import { describeRoute, type Route, type RouteTable } from './routes.ts'
import type { FixedPassword } from './secrets.ts'

/** Which carriers there are, and which of them take a message. */
export interface CarrierPlan {
  readonly carriers: ReadonlyMap<string, CarrierSettings>
  readonly routes: RouteTable
  /** Settings that work, but are probably not meant. */
  readonly warnings: readonly string[]
  /** Passwords that only a restart reads again. */
  readonly fixed: readonly FixedPassword[]
}

/** A plan cannot be used. The message lists everything that is wrong, one problem a line. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const sorted = problems.toSorted((a, b) => byPlace.compare(startOf(a), startOf(b)))
    super(sorted.join('\n'))
    this.problems = sorted
  }
}

/** By file, line and column. */
const byPlace = new Intl.Collator('en', { numeric: true })

function startOf(problem: string): string {
  return problem.slice(0, problem.indexOf(': '))
}

/** Where a carrier is, without a password. */
export function placeOf(settings: CarrierSettings): string {
  switch (settings.kind) {
    case 'simulator':
      return 'simulator'
    case 'smpp':
      return `smpp${settings.tls ? 's' : ''}://${settings.systemId}@${settings.host}:${settings.port}`
    case 'http':
      return settings.url
  }
}

/** Whether a carrier can carry on as it is. */
export function sameSettings(running: CarrierSettings, next: CarrierSettings | undefined): boolean {
  return (
    next !== undefined &&
    isDeepStrictEqual(running, next) &&
    secretsOf(running).every((each, i) => each === secretsOf(next)[i])
  )
}

/** They are hidden from printing, and so from the comparison. */
function secretsOf(settings: CarrierSettings): readonly (string | undefined)[] {
  switch (settings.kind) {
    case 'smpp':
      return [settings.password]
    case 'http':
      return [settings.secret, settings.receiptsSecret]
    case 'simulator':
      return []
  }
}

/** The same for processes that send the same messages to the same carriers, whatever else their files say. */
export function routingOf({ carriers, routes }: CarrierPlan): string {
  return hash('sha256', JSON.stringify([[...carriers.keys()].sort(), routes.routes]), 'base64url')
}

/** The changes that another plan would make. */
export interface PlanDifference {
  /** The new carriers, with their places. */
  added: readonly CarrierChange[]
  removed: readonly CarrierChange[]
  /** They are closed and opened again. */
  changed: readonly CarrierChange[]
  routes: { added: readonly Route[]; removed: readonly Route[]; changed: readonly RouteChange[] }
}

export interface CarrierChange {
  carrier: string
  place: string
  /** The names of the settings that differ. */
  settings: readonly string[]
}

/** A route that goes to other carriers than before, or with other priorities, weights or costs. */
export interface RouteChange {
  before: Route
  after: Route
}

export function differenceOf(before: CarrierPlan, after: CarrierPlan): PlanDifference {
  const changeOf = (settings: CarrierSettings, names: readonly string[] = []): CarrierChange => ({
    carrier: settings.name,
    place: placeOf(settings),
    settings: names,
  })
  const [old, fresh] = [before.carriers, after.carriers]
  const routesBefore = new Map(before.routes.routes.map((route) => [describeRoute(route), route]))
  const routesAfter = new Map(after.routes.routes.map((route) => [describeRoute(route), route]))
  return {
    added: [...fresh.values()].filter(({ name }) => !old.has(name)).map((one) => changeOf(one)),
    removed: [...old.values()].filter(({ name }) => !fresh.has(name)).map((one) => changeOf(one)),
    changed: [...fresh.values()].flatMap((next) => {
      const running = old.get(next.name)
      return running && !sameSettings(running, next) ? [changeOf(next, differing(running, next))] : []
    }),
    routes: {
      added: [...routesAfter]
        .filter(([conditions]) => !routesBefore.has(conditions))
        .map(([, route]) => route),
      removed: [...routesBefore]
        .filter(([conditions]) => !routesAfter.has(conditions))
        .map(([, route]) => route),
      changed: [...routesAfter].flatMap(([conditions, route]) => {
        const was = routesBefore.get(conditions)
        return was && !isDeepStrictEqual(was, route) ? [{ before: was, after: route }] : []
      }),
    },
  }
}

/** Whether both plans do the same. */
export function isNothing({ added, removed, changed, routes }: PlanDifference): boolean {
  return [added, removed, changed, routes.added, routes.removed, routes.changed].every(
    ({ length }) => length === 0,
  )
}

/** Secrets are hidden from the keys, so that they are named as what they are and never shown. */
function differing(before: CarrierSettings, after: CarrierSettings): string[] {
  const [old, fresh] = [before, after].map((settings) => new Map<string, unknown>(Object.entries(settings)))
  const names = new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])
  const found = [...names].filter((name) => !isDeepStrictEqual(old?.get(name), fresh?.get(name)))
  return found.length > 0 ? found : ['password or secret']
}

const SIMULATOR = placeOf({ kind: 'simulator', name: '' })

/** The names of the carriers that reach no phone. */
export function simulatedAmong(carriers: Iterable<CarrierSettings>): string[] {
  return [...carriers].filter(({ kind }) => kind === 'simulator').map(({ name }) => name)
}

/** Whether a reported place is that of a carrier that reaches no phone. */
export function isSimulated(place: string): boolean {
  return place === SIMULATOR
}

/** Production's warning about carriers that reach no phone; undefined when all do. */
export function simulatedWarning(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return `SIMULATED: nothing that goes to ${names.join(', ')} is sent to a phone; set WIGWAG_CARRIER to a carrier to send`
}

/** Says what to do to change a password that a reload does not read again. */
export function fixedSentence({ carrier, variable }: FixedPassword): string {
  return `${carrier}: a reload can't read ${variable} again, because it is a variable of the running gateway. To change that password, restart the gateway, or keep it in a file that the carriers' file names as passwordFile`
}
