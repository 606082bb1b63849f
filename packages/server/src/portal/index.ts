/**
 * Where people sign in with a password: sessions, the limits on attempts, and what every page for a signed-in person
 * needs. Start with `portal.ts`; the limits are in `sign-in-limits.ts`.
 */

export { notFromHere } from '../platform/pages/not-from-here.ts'
export {
  type BrowserSessionOptions,
  confirmPerson,
  keepSession,
  noSessionCookie,
  type Refusal,
  sessionTokenOf,
} from './browser-session.ts'
export { createPortalPages, type PortalPages } from './pages.ts'
export { type Cost, hasCost, hashPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password.ts'
export { createSaturation } from './password-queue.ts'
export { createPortal, type OpenPortal, type Person, type Portal, type Session } from './portal.ts'
export { endSessions, extendSessions, pruneSessions } from './sessions.ts'
export { createSetPassword, type SetPassword } from './set-password.ts'
export { pruneAttempts } from './sign-in-attempts.ts'
export { countFailures, countRegistrations, failedEmails } from './sign-in-check.ts'
export { lockedUntil } from './sign-in-limits.ts'
export { passwordField } from './sign-in-page.ts'
export { localPath, mountSignIn, nextOf } from './sign-in-routes.ts'
