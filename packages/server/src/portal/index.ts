/**
 * How people sign in: sessions, passwords and what they show beside, the limits on guesses, and the people of an account.
 * Start with `portal.ts`; the limits are in `limits/limits.ts`.
 */

export { notFromHere } from '../platform/pages/not-from-here.ts'
export {
  fromOf,
  keepSession,
  keepToken,
  noSessionCookie,
  PASSWORD_BUSY,
  type Refusal,
  refusalOf,
  SUSPENDED,
  sessionTokenOf,
  signInBrowser,
} from './browser-session.ts'
export type { Invited } from './joining.ts'
export { pruneAttempts } from './limits/attempts.ts'
export { countFailures, countRegistrations, failedEmails } from './limits/check.ts'
export { lockedUntil } from './limits/limits.ts'
export { localPath, nextOf } from './local-path.ts'
export { createOperatorPeople, type OperatorPeople } from './operator-people.ts'
export type { Self } from './own-factors.ts'
export type { OwnSession } from './own-sessions.ts'
export { createPortalPages, type PortalPages } from './pages.ts'
export {
  type Cost,
  hasCost,
  hashPasswordHere,
  LONGEST_PASSWORD,
  passwordMistake,
  SHORTEST_PASSWORD,
} from './passwords/password-hash.ts'
export { createSaturation } from './passwords/password-queue.ts'
export type { HashPassword, VerifyPassword } from './passwords/password-threads.ts'
export { createSetPassword, type SetPassword } from './passwords/set-password.ts'
export {
  type By,
  type Changed,
  createPeople,
  forgetProofs,
  type People,
} from './people.ts'
export type { OpenPortal, Person, Portal, Session } from './portal.ts'
export { endSessionsOfAccount, pruneSessions } from './sessions.ts'
export { createSignIn } from './wiring.ts'
