/** The people who run the gateway, how they sign in to their desk, and their sessions. Start with `reception.ts`. */

export { type ListedOperator, Operators } from './operators.ts'
export {
  actorOf,
  DEMO_OPERATOR,
  type DeskSite,
  Reception,
  type SignInResult,
} from './reception.ts'
export { type OperatorSession, pruneOperatorSessions } from './sessions.ts'
