import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { createJoining, type Joining } from './joining.ts'
import { createOwnFactors, type OwnFactors } from './own-factors.ts'
import { createOwnSessions, type OwnSessions } from './own-sessions.ts'
import { createCheckPassword, type PasswordsOptions } from './passwords.ts'
import { createPortal, type OpenPortal } from './portal.ts'
import { createProofs, type Proofs } from './proof.ts'

/** Something about how somebody signs in, of which the operator's webhook is told. */
export interface FactorNews {
  personId: string
  email: string
  accountId: string
}

export interface SignInParts extends PasswordsOptions {
  database: Database
  /** The real time, by which people wait and sessions end: a sandbox's clock may be moved. */
  clock: Clock
  /** For what is written into the audit log. */
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  sealer: Sealer
  /** In the transaction in which somebody got something to sign in with. */
  onFactor?(tx: Tx, person: FactorNews, by: string): Promise<void>
  /** In the transaction in which a recovery code was used. */
  onRecoveryCode?(tx: Tx, person: FactorNews): Promise<void>
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
  const { onFactor = nothing, onRecoveryCode = nothing } = parts
  const checkPassword = createCheckPassword(parts)
  const { portal, enter } = createPortal({ ...parts, checkPassword })
  const more = { ...parts, checkPassword, enter, onFactor, onRecoveryCode }
  return {
    portal,
    proofs: createProofs(more),
    factors: createOwnFactors(more),
    sessions: createOwnSessions(parts),
    joining: createJoining(more),
  }
}

async function nothing(): Promise<void> {}
