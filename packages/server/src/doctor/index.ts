/** What is wrong with an installation, as findings. Start with `checks.ts`. */

export { inspect } from './checks.ts'
export { planHere, type RoutedHere, routedHere } from './plan-here.ts'
export { unknownSettings } from './unknown-settings.ts'
