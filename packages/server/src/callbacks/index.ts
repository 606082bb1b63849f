/**
 * Posts callbacks about final messages to the receivers' URLs, retries them by a plan, and keeps the log that clients
 * list and replay. Start with `deliver.ts`; the retry plan is in `plan.ts`.
 */

export { type AfterAttempt, afterAttempt, LEASE_BEYOND_MS, MOST_ATTEMPTS } from './after-attempt.ts'
export { type CallbackDeparture, type DepartCallbacks, departLater } from './departures.ts'
export { failingAmong, failingReceivers, MOST_FAILING } from './failing.ts'
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
export { OperatorCallbacks } from './operator.ts'
export { isSpent, MOST_REPLAYS, type ReplayedState } from './replay.ts'
export {
  callbackJob,
  type DueCallback,
  forgetCallbacks,
  forgetCallbacksAbout,
  forgetOldCallbacks,
  insertCallbacks,
  type NewCallback,
} from './rows.ts'
export { callbackPayload, signatureHeaders, signingKey } from './signing.ts'
export { type Callbacks, openCallbacks } from './wiring.ts'
