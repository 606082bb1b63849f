/** What the operator's own webhook is told: wallets that run low, and how people sign in. Start with `wiring.ts`. */
export { createEvents } from './wiring.ts'
