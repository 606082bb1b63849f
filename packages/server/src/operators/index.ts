/** The people who run the gateway, how they sign in to their desk, and their sessions. Start with `reception.ts`. */

export { createOperators, type ListedOperator, type Operators } from './operators.ts'
export {
  actorOf,
  createReception,
  DEMO_OPERATOR,
  type DeskSite,
  type Reception,
  type SignInResult,
} from './reception.ts'
export { type OperatorSession, pruneOperatorSessions } from './sessions.ts'
