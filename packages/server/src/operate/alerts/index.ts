/** Tells the operator of troubles: once each, and when one is over. Start with `tell.ts`. */

export { alertsSince } from './rows.ts'
export { tellTroubles } from './tell.ts'
