/**
 * What exists only in the sandbox: the demo account with sample rates, and the route that gives a message its receipt.
 * Start with `demo.ts`.
 */

export { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets, seedDemo } from './demo.ts'
export { mountSandbox } from './receipts.ts'
