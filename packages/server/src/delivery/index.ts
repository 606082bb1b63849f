/**
 * Delivers accepted messages: submits them to the carrier, takes its receipts, and makes each message final with its
 * hold posted or voided. Start with `dispatch.ts`; messages become final in `finish.ts`.
 */

export type { CarrierVerdict } from './carrier.ts'
export type { Simulator } from './carriers/simulator.ts'
export { createDelivery } from './create.ts'
export type { Finalize } from './finalize.ts'
