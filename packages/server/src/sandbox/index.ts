/**
 * Exists only in the sandbox: the demo account with sample rates, a clock that can be moved forward, faults
 * on purpose, the requests that were refused, play money, and the route that gives a message its receipt.
 * Start with `sandbox.ts` and `demo.ts`.
 */

export { openSandboxClock, type SandboxClock } from './clock.ts'
export { mountControls, mountReceipts } from './controls.ts'
export { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets, followDemo, seedDemo } from './demo.ts'
export {
  type FaultErrors,
  type FaultSettings,
  faultsInWords,
  GATEWAY_FAULTS,
  NO_FAULTS,
  RECEIVER_FAULTS,
  readFaults,
  type WrittenFaults,
} from './fault-settings.ts'
export { Faults } from './faults.ts'
export type { RefusedRequests } from './refused.ts'
export { PLAY_MONEY, Sandbox, type SandboxOverview } from './sandbox.ts'
