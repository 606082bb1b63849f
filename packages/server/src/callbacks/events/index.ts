/** Events for the operator's webhook: low wallets, how people sign in, and alerts. Start with `wiring.ts`. */
export { type Events, openEvents } from './wiring.ts'
