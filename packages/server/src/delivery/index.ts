/**
 * Delivers accepted messages: chooses a carrier for each, submits them, takes receipts, and makes each message final
 * with its hold posted or voided. Start with `fleet.ts` and `submit/dispatch.ts`; messages become
 * final in `finish/finish.ts`.
 */

export { type Carrier, type CarrierVerdict, isOwnRef, type SubmitOutcome } from './carrier.ts'
export { createCarrier } from './create-carrier.ts'
export type { EarlyReceipt } from './finish/early-receipts.ts'
export type { EndMessages } from './finish/end-messages.ts'
export { forgetLateReceipts } from './finish/receipts.ts'
export { pruneOrphans, pruneRefs } from './finish/refs.ts'
export { createCancelScheduled } from './operate/cancel.ts'
export { LIST_COLUMNS, readCarrierList } from './operate/carrier-list.ts'
export { createOperatorCarriers, type OperatorCarriers } from './operate/carriers.ts'
export type { PlanInForce } from './operate/control.ts'
export { type Forecast, forecast, partCost } from './operate/forecast.ts'
export { type Costs, type Margin, readCosts } from './operate/margins.ts'
export {
  type CarrierMessages,
  type CarrierOverview,
  carrierOverview,
  knownCarriers,
} from './operate/overview.ts'
export { type CarrierPause, pauseOf } from './operate/pause.ts'
export type { Decided, SettledMany } from './operate/settling.ts'
export type { SetAside, StuckMessage, WhyStuck } from './operate/stuck.ts'
export {
  type CarrierLine,
  type LiveReport,
  processesBefore,
  requestedReloads,
  withoutSecret,
} from './operate/switches.ts'
export { outcomeInWords } from './operate/try-carrier.ts'
export type { SettledAs, UncertainMessage, UncertainSum, WhichUncertain } from './operate/uncertain.ts'
export { UNCERTAIN_COLUMNS, uncertainCells } from './operate/uncertain-list.ts'
export {
  type CarrierPlan,
  type CarrierSettings,
  type ConsideredRoute,
  describeRoute,
  differenceOf,
  isNothing,
  isSimulated,
  type PlanDifference,
  PlanError,
  placeOf,
  type Route,
  readPlan,
  simulatedAmong,
  simulatedWarning,
} from './plan/index.ts'
export { costsByDay, type DayCost } from './submit/costs.ts'
export type { Depart } from './submit/departures.ts'
export { createDelivery, type Delivery } from './wiring.ts'
