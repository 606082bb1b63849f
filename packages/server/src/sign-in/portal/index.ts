/**
 * How people sign in: sessions, passwords and what they show beside, the limits on guesses, and the people of an account.
 * Start with `portal.ts`; the limits are in `limits.ts`.
 */

export { notFromHere } from '../../net/pages/not-from-here.ts'
export type { Invited } from './joining.ts'
export { countFailures, countRegistrations, failedEmails, lockedUntil, pruneAttempts } from './limits.ts'
export { OperatorPeople } from './operator-people.ts'
export type { OwnSession, Self } from './own-sessions.ts'
export {
  fromOf,
  keepSession,
  keepToken,
  localPath,
  nextOf,
  noSessionCookie,
  PASSWORD_BUSY,
  type PortalPages,
  pagesOf,
  type Refusal,
  refusalOf,
  SUSPENDED,
  sessionTokenOf,
  signInBrowser,
} from './pages.ts'
export {
  type Cost,
  hasCost,
  hashPasswordHere,
  LONGEST_PASSWORD,
  passwordMistake,
  SHORTEST_PASSWORD,
} from './passwords/password-hash.ts'
export { type HashPassword, Saturation, type VerifyPassword } from './passwords/password-queue.ts'
export { type SetPassword, setPassword } from './passwords/passwords.ts'
export {
  type By,
  type Changed,
  forgetProofs,
  People,
} from './people.ts'
export type { OpenPortal, Person, Portal, Session } from './portal.ts'
export { endSessionsOfAccount, pruneSessions } from './sessions.ts'
export { openSignIn } from './wiring.ts'
