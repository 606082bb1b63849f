import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { createJoining, type Joining } from './joining.ts'
import { createOwnFactors, type OwnFactors, type TellOperator } from './own-factors.ts'
import { createOwnSessions, type OwnSessions } from './own-sessions.ts'
import { NewPasswords } from './passwords/new-passwords.ts'
import { createPasswordQueue } from './passwords/password-queue.ts'
import type { HashPassword } from './passwords/password-threads.ts'
import { createCheckPassword, type PasswordsOptions } from './passwords/passwords.ts'
import type { EndConnections } from './people.ts'
import { createPortal, type OpenPortal } from './portal.ts'
import { createProofs, type Proofs } from './proof.ts'

/** Passwords that are hashed at once, to be checked or to be set, and that may wait for it. */
const AT_ONCE = 2
const WAITING = 20

export interface SignInParts extends Omit<PasswordsOptions, 'queued'> {
  database: Database
  /** The real time, by which people wait and sessions end: a sandbox's clock may be moved. */
  clock: Clock
  /** For what is written into the audit log. */
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  /** Whether the event loop is saturated; then passwords are hashed less often. */
  busy?: (() => boolean) | undefined
  hash?: HashPassword | undefined
  sealer: Sealer
  /** Tells the operator, in the transaction of what happened. */
  tell: TellOperator
  endConnections: EndConnections
}

/** How people come in, and what they do about their own ways in. */
export interface SignIn {
  portal: OpenPortal
  proofs: Proofs
  factors: OwnFactors
  sessions: OwnSessions
  joining: Joining
}

export function createSignIn(parts: SignInParts): SignIn {
  const { clock, busy = () => false } = parts
  const queued = createPasswordQueue({ atOnce: AT_ONCE, waiting: WAITING, clock, busy })
  const passwords = new NewPasswords(queued, parts.hash)
  const checkPassword = createCheckPassword({ ...parts, queued })
  const { portal, enter } = createPortal({ ...parts, checkPassword })
  const more = { ...parts, checkPassword, passwords, enter }
  return {
    portal,
    proofs: createProofs(more),
    factors: createOwnFactors(more),
    sessions: createOwnSessions(parts),
    joining: createJoining(more),
  }
}
