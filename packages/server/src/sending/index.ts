/**
 * Accepts sends: prices them, holds their cost and stores the messages, each with the job that sends it. Also price
 * estimates and scheduled messages. Start with `accept.ts`; the rules are in `decide.ts`.
 */

export { createSending } from './create.ts'
export { pruneReplies } from './idempotency.ts'
export type { Allowance, Counted, SendLimits } from './limited-hold.ts'
export type { PreparedSend } from './prepare.ts'
