/** Tells the operator of troubles: once each, and when one is over. Start with `watch.ts`. */

export { alertsSince } from './rows.ts'
export { AlertWatch } from './watch.ts'
