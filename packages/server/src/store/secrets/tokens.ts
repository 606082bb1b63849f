import { hash, randomBytes } from 'node:crypto'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Value } from '../database.ts'
import { inChunks } from '../rows.ts'

/**
 * The stored hash of a secret or token. One round of a fast hash is enough, because they are long and random and cannot
 * be guessed.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** A browser's session token. Only a digest of it is stored. */
export interface SessionToken {
  token: string
  expiresAt: EpochMs
}

/** A token that begins with what it is for, such as `wp` for people. */
export function newSessionToken(kind: string): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`
}

/** Returns the tokens whose digests `find` finds. */
export async function tokensFound(
  tokens: readonly string[],
  find: (digests: readonly Value[]) => Promise<readonly { tokenHash: string }[]>,
): Promise<ReadonlySet<string>> {
  const byDigest = new Map(tokens.map((token) => [digestOf(token), token]))
  const found = new Set<string>()
  await inChunks([...byDigest.keys()], async (chunk) => {
    for (const { tokenHash } of await find(chunk)) found.add(byDigest.get(tokenHash) ?? '')
  })
  return found
}
