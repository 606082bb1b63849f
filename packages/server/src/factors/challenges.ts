import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { ChallengePurpose, OwnerKind } from '../platform/database/schema.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import { digestOf } from '../platform/secrets/digest.ts'

const CHALLENGE_MS = 5 * 60_000

/** What a challenge is for. The owner's id is empty while nobody knows who signs in. */
export interface ChallengeUse {
  purpose: ChallengePurpose
  owner: { kind: OwnerKind; id: string }
}

/** A challenge for a passkey to sign. */
export async function issueChallenge(
  tx: Tx,
  { purpose, owner }: ChallengeUse,
  now: EpochMs,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await insertRows(tx, tx.t.challenges, [
    {
      ...{ challengeHash: digestOf(challenge), purpose, ownerKind: owner.kind, ownerId: owner.id },
      expiresAt: epochMs(now + CHALLENGE_MS),
    },
  ])
  return challenge
}

/** Uses a challenge up. True for exactly one of several concurrent callers, and only for what it was made for. */
export async function takeChallenge(
  { run }: Tx,
  challenge: string,
  { purpose, owner }: ChallengeUse,
  now: EpochMs,
): Promise<boolean> {
  const taken = await run(
    `DELETE FROM challenges WHERE challenge_hash = $1 AND purpose = $2 AND owner_kind = $3 AND owner_id = $4
       AND expires_at > $5 RETURNING challenge_hash`,
    [digestOf(challenge), purpose, owner.kind, owner.id, now],
  )
  return taken.length > 0
}

/** Deletes a slice of the challenges that are over. Returns whether there may be more. */
export function pruneChallenges(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    ...{ table: 'challenges', key: 'challenge_hash', where: 'expires_at <= $1' },
    ...{ values: [now], orderBy: 'expires_at' },
  })
}
