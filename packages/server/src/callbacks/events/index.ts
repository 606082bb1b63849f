/** Events for the operator's webhook: low wallets, and how people sign in. Start with `wiring.ts`. */
export { openEvents } from './wiring.ts'
