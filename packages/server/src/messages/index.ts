/** Stored messages: their rows, first job, search keys and hourly totals. Start reading in `messages.ts`. */
export { type Departure, firstJob, type JobTimes } from './first-job.ts'
export { blankMessages, forgetFinal, forgetOld, forgetOpen, forgetTotals } from './forget.ts'
export { keptSince, noteForgotten } from './kept.ts'
export {
  countForgotten,
  type EndColumn,
  findMessage,
  findMessages,
  freeMessages,
  insertMessages,
  type MessageRow,
  markDue,
  type NewMessage,
  type OpenMessage,
  openMessages,
  outgoingMessages,
  type Settlement,
  settleMessages,
} from './messages.ts'
export { createRecipientRuns, hasKeyOf, recipientKey, senderKey, walletsTo } from './search-keys.ts'
export { readSentBy, type SentByKind, sentByOf } from './sent-by.ts'
export {
  addToTotals,
  countSent,
  type DayTotals,
  type HourTotals,
  type NetworkTotal,
  sentSince,
  type TotalsChange,
  totalsBetween,
  totalsByHour,
  totalsByNetwork,
} from './totals.ts'
export { transaction } from './transaction.ts'
