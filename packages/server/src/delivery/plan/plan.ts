import type { HttpSettings } from '../carriers/http/settings.ts'
import type { SmppSettings } from '../carriers/smpp-settings.ts'
import type { RouteTable } from './routes.ts'

/** A carrier without phones. */
export interface SimulatorSettings {
  kind: 'simulator'
  name: string
}

/** Passwords and secrets in it are not enumerable, so that printing shows none; a copy made by spreading lacks them. */
export type CarrierSettings = SmppSettings | HttpSettings | SimulatorSettings

/** Which carriers there are, and which of them take a message. */
export interface CarrierPlan {
  readonly carriers: ReadonlyMap<string, CarrierSettings>
  readonly routes: RouteTable
  /** What works, but is probably not meant. */
  readonly warnings: readonly string[]
}

/** A plan cannot be used. The message lists everything that is wrong, one problem a line. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const sorted = problems.toSorted((a, b) => byPlace.compare(placeOf(a), placeOf(b)))
    super(sorted.join('\n'))
    this.problems = sorted
  }
}

/** By file, line and column. */
const byPlace = new Intl.Collator('en', { numeric: true })

function placeOf(problem: string): string {
  return problem.slice(0, problem.indexOf(': '))
}
