import { placeOf } from './compare.ts'
import type { CarrierSettings } from './plan.ts'

const SIMULATOR = placeOf({ kind: 'simulator', name: '' })

/** The names of the carriers that reach no phone. */
export function simulatedAmong(carriers: Iterable<CarrierSettings>): string[] {
  return [...carriers].filter(({ kind }) => kind === 'simulator').map(({ name }) => name)
}

/** Whether a reported place is that of a carrier that reaches no phone. */
export function isSimulated(place: string): boolean {
  return place === SIMULATOR
}

/** What production says about carriers that reach no phone; undefined when all do. */
export function simulatedWarning(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return `SIMULATED: nothing that goes to ${names.join(', ')} is sent to a phone; set WIGWAG_CARRIER to a carrier to send`
}
