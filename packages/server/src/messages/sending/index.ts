/**
 * Accepts sends: prices them, holds their cost and stores the messages, each with the job that sends it. Also price
 * estimates and scheduled messages. Start with `accept.ts`; the rules are in `decide.ts`.
 */

export { messageRules } from './field-rules.ts'
export type { FormBulk, FormMessage, SendingForPages } from './for-pages.ts'
export { forgetRepliesOf, type KeyOwner, pruneReplies } from './idempotency.ts'
export {
  type Allowance,
  type Counted,
  type Remaining,
  type SendLimits,
  type SharedLimit,
  usedOf,
} from './limited-hold.ts'
export type { PreparedSend } from './prepare.ts'
export type { Progress } from './progress.ts'
export type { Estimate, Quote, Quoted } from './quote.ts'
export { countScheduled, forgetSchedulers, pruneSchedulers } from './scheduled.ts'
export type { Together } from './scheduled-lists.ts'
export { openSending, type Sending } from './wiring.ts'
