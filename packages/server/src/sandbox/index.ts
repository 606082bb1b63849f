/**
 * What exists only in the sandbox: the demo account with sample rates, a clock that can be moved forward, faults on
 * purpose, the requests that were refused, play money, and the route that gives a message its receipt. Start with
 * `wiring.ts` and `demo.ts`.
 */

export { aheadOf, createSandboxClock, type SandboxClock } from './clock.ts'
export { mountControls } from './controls.ts'
export { DEMO_EMAIL, DEMO_SENDER, seedDemo } from './demo.ts'
export { type DemoSecrets, followDemo } from './demo-secrets.ts'
export { createFaults } from './faults/faults.ts'
export { type FaultErrors, readFaults, type WrittenFaults } from './faults/read.ts'
export {
  type FaultSettings,
  faultsInWords,
  GATEWAY_FAULTS,
  NO_FAULTS,
  RECEIVER_FAULTS,
} from './faults/settings.ts'
export { mountSandbox } from './receipts.ts'
export { createNoteRefusal } from './refusals.ts'
export type { RefusedRequest, RefusedRequests } from './refused.ts'
export { createSandboxSubject, PLAY_MONEY, type Sandbox, type SandboxOverview } from './wiring.ts'
