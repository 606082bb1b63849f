/** What the operator's own webhook is told: wallets that run low. Start with `low-wallets.ts`. */
export { createEvents } from './wiring.ts'
