/** Stored messages: their rows, first job, search keys and hourly totals. Start reading in `messages.ts`. */
export {
  blankMessages,
  forgetFinal,
  forgetOld,
  forgetOpen,
  forgetTotals,
  keptSince,
  noteForgotten,
} from './forget.ts'
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
  type NewRow,
  type OpenMessage,
  openMessages,
  outgoingMessages,
  readSentBy,
  type SentByKind,
  type Settlement,
  sentByOf,
  settleMessages,
  transaction,
} from './messages.ts'
export {
  type Depart,
  type Departure,
  type Ending,
  type EndMessages,
  firstJob,
  type JobTimes,
  type OpenDeparture,
} from './ports.ts'
export { hasKeyOf, RecipientRuns, recipientKey, senderKey, walletsTo } from './search-keys.ts'
export { shownTo } from './shown.ts'
export {
  type AccountTotal,
  addToTotals,
  countSent,
  type DayTotals,
  type HourTotals,
  type NetworkTotal,
  sentSince,
  type TotalsChange,
  totalsBetween,
  totalsByAccount,
  totalsByHour,
  totalsByNetwork,
} from './totals.ts'
