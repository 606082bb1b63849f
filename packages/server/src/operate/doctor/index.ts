/** Checks an installation, and reports findings. Start with `checks.ts`. */

export { inspect } from './checks.ts'
export { planHere, type RoutedHere, routedHere, unknownSettings } from './settings-here.ts'
