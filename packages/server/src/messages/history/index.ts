/** Reads of messages: look-up, search, filters, timeline and insights. Start reading in `queries.ts`. */

export type { FoundMessage, FoundPage, MessageQuery } from './find.ts'
export type { MessageFilter } from './index-ranges.ts'
export {
  type ChargedMessage,
  chargedMessages,
  countOpen,
  type InsightRow,
  type OpenMessages,
  type Report,
} from './insights.ts'
export { type FollowedMessage, OperatorMessages } from './operator.ts'
export { hiddenIn, type MessageInFull, type Queries } from './queries.ts'
export { type Query, readQuery, type Wrong } from './query.ts'
export { replaced, type Term, termsOf, withTerm } from './query-terms.ts'
export { inFull } from './routes.ts'
export { type SentBy, sendersOf } from './sent-by.ts'
export { type History, openHistory } from './wiring.ts'
