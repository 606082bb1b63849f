import { randomBytes } from 'node:crypto'
import type { EpochMs } from '../../domain/ids.ts'
import type { Value } from '../database/database.ts'
import { inChunks } from '../database/rows.ts'
import { digestOf } from './digest.ts'

/** What a browser keeps of its session. Only a digest of the token is stored. */
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
