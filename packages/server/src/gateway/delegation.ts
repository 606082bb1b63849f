import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { touchConnection } from '../store/connections.ts'
import { CommitUncertain, type Database, RowLocked, StoreUnavailable } from '../store/database.ts'
import { findBearer, insertDelegatedToken } from '../store/delegated-tokens.ts'
import { accountSuspended, digestOf, statusOfSenders } from './identify.ts'
import type { Principal } from './principal.ts'
import { invalidToken } from './token-problems.ts'

const LIFE_MS = 5 * 60_000
const TOUCH_MS = 60_000

/** Access to the REST API in the name of a connection. */
export interface Delegation {
  /**
   * A token for the REST API that is good for 5 minutes. The caller has verified the connection, and that it may send
   * if the token may.
   */
  issue(connectionId: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: EpochMs }>
  /**
   * Who calls with a token; throws the problem that turns the caller away. Nothing is remembered: a connection that was
   * revoked and an account that was suspended fail on the next call.
   */
  identify(accessToken: string): Promise<Principal>
}

export interface DelegationOptions {
  database: Database
  clock: Clock
}

export function createDelegation({ database, clock }: DelegationOptions): Delegation {
  /** When a connection was last used is for people to look at. No call fails because it could not be noted. */
  async function touch(id: string, now: EpochMs): Promise<void> {
    try {
      await database.write((connection) => touchConnection(connection, id, now, now - TOUCH_MS), {
        patient: true,
      })
    } catch (error) {
      const isStores =
        error instanceof StoreUnavailable || error instanceof RowLocked || error instanceof CommitUncertain
      if (!isStores) throw error
    }
  }

  return {
    async issue(connectionId, canSend) {
      const accessToken = `wd_${randomBytes(32).toString('base64url')}`
      const expiresAt = epochMs(clock.now() + LIFE_MS)
      const row = {
        tokenHash: digestOf(accessToken),
        connectionId,
        canSend: canSend ? (1 as const) : (0 as const),
        expiresAt,
      }
      await database.write((connection) => insertDelegatedToken(connection, row))
      return { accessToken, expiresAt }
    },

    async identify(accessToken) {
      const now = clock.now()
      const { bearer, senders } = await database.read(async (connection) => {
        const bearer = await findBearer(connection, digestOf(accessToken))
        if (!bearer || bearer.expiresAt <= now || bearer.endedAt > 0) throw invalidToken()
        if (bearer.accountStatus === 'suspended') throw accountSuspended()
        return { bearer, senders: await statusOfSenders(connection, bearer.accountId) }
      })
      const { connectionId: id, accountId, walletId, currency } = bearer
      if (bearer.lastUsedAt <= now - TOUCH_MS) await touch(id, now)
      return {
        accountId,
        clientId: `connection:${id}`,
        wallet: { id: walletId, currency },
        connection: { id, canSend: bearer.tokenCanSend === 1 && bearer.connectionCanSend === 1 },
        senders,
      }
    },
  }
}
