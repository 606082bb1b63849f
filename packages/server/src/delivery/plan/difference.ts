import { isDeepStrictEqual } from 'node:util'
import { placeOf, sameSettings } from './compare.ts'
import type { CarrierPlan, CarrierSettings } from './plan.ts'
import type { Route } from './routes.ts'
import { describeRoute } from './routes.ts'

/** What another plan would change. */
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
    ...{ carrier: settings.name, place: placeOf(settings), settings: names },
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
