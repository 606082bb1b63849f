/**
 * Delivers accepted messages: chooses a carrier for each, submits them, takes receipts, and makes each message final
 * with its hold posted or voided. Start with `fleet.ts` and `submit/hand-over.ts`; messages become
 * final in `finish/finish.ts`.
 */

export { around, type Carrier, type CarrierVerdict, isOwnRef, type SubmitOutcome } from './carrier.ts'
export type { CarrierSettings } from './carriers/settings.ts'
export { SmppThread } from './carriers/smpp-thread.ts'
export type { EarlyReceipt } from './finish/early-receipts.ts'
export { forgetLateReceipts } from './finish/receipts.ts'
export { pruneOrphans, pruneRefs } from './finish/refs.ts'
export { openCarrier } from './open-carrier.ts'
export { LIST_COLUMNS, readCarrierList } from './operate/carrier-list.ts'
export { OperatorCarriers, outcomeInWords } from './operate/carriers.ts'
export type { PlanInForce } from './operate/control.ts'
export {
  type Deliveries,
  deliveriesBy,
  deliveriesByHour,
  endedOf,
  type FallenRate,
  fallenRates,
  type HourDeliveries,
  pruneDeliveries,
  rateOf,
} from './operate/deliveries.ts'
export { type Forecast, forecast, partCost, shareInWords } from './operate/forecast.ts'
export { type Costs, costsByDay, type DayCost, type Margin, readCosts } from './operate/margins.ts'
export {
  type CarrierMessages,
  type CarrierOverview,
  carrierOverview,
  knownCarriers,
} from './operate/overview.ts'
export { Cancellations, type Decided, type SettledMany } from './operate/settling.ts'
export type { SetAside, StuckMessage, WhyStuck } from './operate/stuck.ts'
export {
  type CarrierLine,
  type CarrierPause,
  carrierReports,
  type LiveReport,
  pauseOf,
  processesBefore,
  requestedReloads,
  withoutSecret,
} from './operate/switches.ts'
export { RESTED_WITHIN_MS } from './operate/throttling.ts'
export {
  type SettledAs,
  UNCERTAIN_COLUMNS,
  type UncertainMessage,
  type UncertainSum,
  uncertainCells,
  type WhichUncertain,
} from './operate/uncertain.ts'
export {
  type CarrierPlan,
  type ConsideredRoute,
  describeRoute,
  differenceOf,
  fixedSentence,
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
export { mountReceiptDoor } from './receipt-door.ts'
export { type Delivery, openDelivery } from './wiring.ts'
