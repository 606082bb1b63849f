/**
 * Posts callbacks about final messages to the receivers' URLs, retries them by a plan, and keeps the log that clients
 * list and replay. Start with `deliver.ts`; the retry plan is in `plan.ts`.
 */

export { createCallbacks } from './create.ts'
export { type CallbackRow, callbackJob, insertCallbacks } from './rows.ts'
export { createRotateCallbackSecret, type RotateCallbackSecret } from './secrets.ts'
