import { randomBytes } from 'node:crypto'
import { type AccountRow, accountSuspended, digestOf, statusOfSenders } from '../accounts/index.ts'
import { mayDo, roleIn } from '../accounts/people/index.ts'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { OperatorContact } from '../kernel/operator-contact.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { MINUTE_MS } from '../kernel/time/spans.ts'
import { invalidToken } from '../net/server/problems.ts'
import { CommitUncertain, type Database, RowLocked, StoreUnavailable, type Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Role } from '../store/schema/schema.ts'
import { deleteSlice } from '../store/slices.ts'
import { touchConnection } from './connection-rows.ts'

const LIFE_MS = 5 * MINUTE_MS
const TOUCH_MS = MINUTE_MS

/** Access to the REST API under a connection. */
export class Delegation {
  readonly #database: Database
  readonly #clock: Clock
  readonly #operator: OperatorContact

  constructor({
    database,
    clock,
    operator,
  }: Pick<Parts, 'database' | 'clock'> & { operator: OperatorContact }) {
    this.#database = database
    this.#clock = clock
    this.#operator = operator
  }

  /**
   * A token for the REST API, valid for 5 minutes. The caller must have verified the connection, and with `canSend`
   * also that the connection may send.
   */
  async issue(connectionId: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: EpochMs }> {
    const accessToken = `wd_${randomBytes(32).toString('base64url')}`
    const expiresAt = epochMs(this.#clock.now() + LIFE_MS)
    const row = {
      tokenHash: digestOf(accessToken),
      connectionId,
      canSend: canSend ? (1 as const) : (0 as const),
      expiresAt,
    }
    await this.#database.write((tx) => insertRows(tx, tx.t.delegatedTokens, [row]))
    return { accessToken, expiresAt }
  }

  /**
   * The principal of a token; throws a problem if the token is not valid. Nothing is cached: after a connection is
   * revoked or an account is suspended, the next call fails.
   */
  async identify(accessToken: string): Promise<Principal> {
    const now = this.#clock.now()
    const { bearer, senders } = await this.#database.read(async (tx) => {
      const bearer = await findBearer(tx, digestOf(accessToken))
      if (!bearer || bearer.expiresAt <= now || bearer.endedAt > 0) throw invalidToken()
      if (!mayDo(bearer.role, 'assistants')) throw invalidToken()
      if (bearer.accountStatus === 'suspended') throw accountSuspended(this.#operator)
      return { bearer, senders: await statusOfSenders(tx, bearer.accountId) }
    })
    const { connectionId: id, accountId, walletId, currency } = bearer
    await this.noteUse(id, bearer.lastUsedAt)
    return {
      accountId,
      clientId: `connection:${id}`,
      wallet: { id: walletId, currency },
      connection: { id, canSend: mayStillSend(bearer) },
      senders,
    }
  }

  /**
   * Stores that a connection is used now, unless that was stored a moment ago. It is only for display, so no call fails
   * because this did.
   */
  async noteUse(connectionId: string, lastUsedAt: number): Promise<void> {
    const now = this.#clock.now()
    if (lastUsedAt > now - TOUCH_MS) return
    try {
      await this.#database.write((tx) => touchConnection(tx, connectionId, now, now - TOUCH_MS), {
        patient: true,
      })
    } catch (error) {
      const isStores =
        error instanceof StoreUnavailable || error instanceof RowLocked || error instanceof CommitUncertain
      if (!isStores) throw error
    }
  }
}

function mayStillSend({ tokenCanSend, connectionCanSend, role }: Bearer): boolean {
  return tokenCanSend === 1 && connectionCanSend === 1 && mayDo(role, 'assistants that send')
}

/** A delegated token with its connection, account and wallet. */
interface Bearer {
  expiresAt: number
  tokenCanSend: 0 | 1
  connectionId: string
  connectionCanSend: 0 | 1
  endedAt: number
  lastUsedAt: number
  accountId: string
  accountStatus: AccountRow['status']
  /** Of who made the connection, as it is now. */
  role: Role
  walletId: string
  currency: string
}

async function findBearer({ run }: Tx, tokenHash: string): Promise<Bearer | undefined> {
  const [row] = await run<Bearer>(
    `SELECT d.expires_at AS "expiresAt", d.can_send AS "tokenCanSend", c.id AS "connectionId",
       c.can_send AS "connectionCanSend", c.ended_at AS "endedAt", c.last_used_at AS "lastUsedAt",
       a.id AS "accountId", a.status AS "accountStatus", ${roleIn('m')} AS role, w.id AS "walletId", w.currency
     FROM delegated_tokens d JOIN connections c ON c.id = d.connection_id
       JOIN accounts a ON a.id = c.account_id JOIN wallets w ON w.id = c.wallet_id
       JOIN memberships m ON m.account_id = c.account_id AND m.person_id = c.person_id AND m.ended_at = 0
     WHERE d.token_hash = $1`,
    [tokenHash],
  )
  return row
}

/** Deletes a slice of the expired tokens. Returns whether there may be more. */
export function pruneDelegatedTokens(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'delegated_tokens',
    key: 'token_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
