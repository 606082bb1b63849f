/**
 * Posts callbacks about final messages to the receivers' URLs, retries them by a plan, and keeps the log that clients
 * list and replay. Start with `deliver.ts`; the retry plan is in `plan.ts`.
 */

export { type CallbackDeparture, type DepartCallbacks, departLater } from './departures.ts'
export { forgetCallbacks, forgetCallbacksAbout, forgetOldCallbacks } from './forget.ts'
export { type CallbackLog, MOST_COUNTED, type ToReplay } from './log.ts'
export {
  type CallbackFilter,
  type CallbackStanding,
  callbackStates,
  countDead,
  countGivenUp,
  countRecent,
  type LoggedCallback,
  type RecentCallbacks,
} from './log-rows.ts'
export { createOperatorCallbacks, type OperatorCallbacks } from './operator.ts'
export { callbackPayload, signatureHeaders, signingKey } from './payload.ts'
export { type AfterAttempt, afterAttempt, MOST_ATTEMPTS } from './plan.ts'
export type { ReplayedState } from './replay.ts'
export { isSpent, MOST_REPLAYS } from './requeue.ts'
export { callbackJob, type DueCallback, insertCallbacks, type NewCallback } from './rows.ts'
export { type Callbacks, createCallbacks } from './wiring.ts'
