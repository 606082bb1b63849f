export { type Choice, type ConsideredRoute, choose, consider, wayOf } from './choose.ts'
export {
  type CarrierPlan,
  differenceOf,
  fixedSentence,
  isNothing,
  isSimulated,
  type PlanDifference,
  PlanError,
  placeOf,
  routingOf,
  sameSettings,
  simulatedAmong,
  simulatedWarning,
} from './plan.ts'
export { readPlan } from './read-plan.ts'
export { describeRoute, type Route, routed } from './routes.ts'
export type { FixedPassword } from './secrets.ts'
