import type { Clock } from '../../kernel/process/clock.ts'
import { createAudit } from '../../store/audit/index.ts'
import type { Sealer } from '../../store/secrets/sealing.ts'
import { Codes, Passkeys } from '../factors/index.ts'
import { Joining } from './joining.ts'
import { OwnFactors } from './own-factors.ts'
import { OwnSessions } from './own-sessions.ts'
import { type HashPassword, NewPasswords, PasswordQueue } from './passwords/password-queue.ts'
import { type CheckPassword, checkPassword, type PasswordCheck } from './passwords/passwords.ts'
import type { EndConnections } from './people.ts'
import { type Enter, OpenPortal, type WaysIn } from './portal.ts'
import { Proofs } from './proof.ts'

/** Passwords that are hashed at once, to be checked or to be set, and that may wait for it. */
const AT_ONCE = 2
const WAITING = 20

export type SignIn = ReturnType<typeof openSignIn>

/** How people come in, and what they do about their own ways in. */
export function openSignIn(
  parts: Omit<PasswordCheck, 'queue'> &
    Pick<WaysIn, 'tell'> & {
      /** For what is written into the audit log. */
      auditClock: Pick<Clock, 'now'>
      /** Whether the event loop is saturated; then passwords are hashed less often. */
      busy?: (() => boolean) | undefined
      hash?: HashPassword | undefined
      sealer: Sealer
      endConnections: EndConnections
    },
) {
  const { database, clock, auditClock, newId, tell, endConnections, busy = () => false } = parts
  const audit = createAudit({ clock: auditClock, newId })
  const ways = { database, clock, newId, audit, tell, passkeys: new Passkeys(parts), codes: new Codes(parts) }
  const queue = new PasswordQueue({ atOnce: AT_ONCE, waiting: WAITING, clock, busy })
  const passwords = new NewPasswords(queue, parts.hash)
  const checking = { ...parts, queue }
  const check: CheckPassword = (request, right) => checkPassword(checking, request, right)
  const portal = new OpenPortal(ways, { checkPassword: check, auditClock })
  const enter: Enter = (...session) => portal.enter(...session)
  return {
    portal,
    proofs: new Proofs(ways, { checkPassword: check, enter }),
    factors: new OwnFactors(ways, { passwords, endConnections }),
    sessions: new OwnSessions(ways),
    joining: new Joining(ways, { passwords, enter }),
  }
}
