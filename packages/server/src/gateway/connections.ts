import type { Clock } from '../clock.ts'
import { usedToday } from '../domain/daily-use.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { type Micros, micros, ZERO } from '../domain/money.ts'
import { isRecipientRule, parseRules } from '../domain/recipient-rules.ts'
import { findWallet } from '../store/accounts.ts'
import {
  type ConnectionRow,
  connectionIds,
  connectionsOf,
  endConnection,
  findByGrant,
  insertConnection,
  removeGrant,
  setLimits,
  unreachable,
} from '../store/connections.ts'
import type { Connection, Database } from '../store/database.ts'
import { removeTokensOf } from '../store/delegated-tokens.ts'
import { type Step, walk } from '../store/slices.ts'
import { createAudit } from './audit.ts'

/** What a person allows a connection on a day in UTC, and to whom. */
export interface ConnectionLimits {
  dailySpend: Micros
  dailyMessages: number
  /** Whole numbers, or the beginning of one and `*`; undefined is everybody. */
  recipients: readonly string[] | undefined
}

export interface NewConnection {
  accountId: string
  walletId: string
  grantId: string
  clientId: string
  clientName: string
  redirectHost: string
  /** Undefined: it may only read. */
  limits: ConnectionLimits | undefined
}

export interface ConnectionView {
  id: string
  clientId: string
  clientName: string
  redirectHost: string
  wallet: { id: string; currency: string }
  createdAt: EpochMs
  lastUsedAt: EpochMs | undefined
  endedAt: EpochMs | undefined
  limits: ConnectionLimits | undefined
  /** What counts against the limits of the current day in UTC. */
  today: { spent: Micros; messages: number }
}

/** The assistants that people have let into their accounts. Every change leaves an audit row. */
export interface Connections {
  create(made: NewConnection): Promise<string>
  /** Keeps that a person turned an assistant away. */
  refuse(accountId: string, client: { id: string; name: string }): Promise<void>
  /** Those that live, the newest first; behind them those that ended in the last 30 days, the last one first. */
  list(accountId: string): Promise<ConnectionView[]>
  /** False when the account has no such connection that lives and may send. */
  changeLimits(accountId: string, id: string, limits: ConnectionLimits): Promise<boolean>
  /**
   * Ends a connection: its tokens and what the authorization server has of its grant are gone in the same transaction.
   * False when the account has no such connection that lives.
   */
  revoke(accountId: string, id: string): Promise<boolean>
  /** The living connection of a grant, if its account is active. */
  byGrant(grantId: string): Promise<{ id: string; accountId: string; canSend: boolean } | undefined>
  /** The same end, when the authorization server ends a grant by itself. One that has ended stays as it is. */
  endGrant(grantId: string, reason: string): Promise<void>
  /**
   * Ends those that no assistant can use any more: its last token has expired, or it never came for the first one.
   * Returns what does it slice by slice.
   */
  endUnreachable(): Step
}

export interface ConnectionsOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

const A_DAY = 24 * 3_600_000
const SHOWN_MS = 30 * A_DAY
/** An assistant comes for its first token within a minute; nobody is in a hurry to see that it did not. */
const LEFT_ALONE_MS = A_DAY

export function createConnections({ database, clock, newId }: ConnectionsOptions): Connections {
  const audit = createAudit({ clock, newId })

  /** Whatever makes a connection end, it ends in one piece. */
  async function end(
    work: Connection,
    which: Pick<ConnectionRow, 'accountId' | 'id'>,
  ): Promise<ConnectionRow | undefined> {
    const ended = await endConnection(work, which, clock.now())
    if (!ended) return undefined
    await removeTokensOf(work, ended.id)
    await removeGrant(work, ended.grantId)
    return ended
  }

  async function endByItself(work: Connection, which: ConnectionRow, reason: string): Promise<void> {
    const ended = await end(work, which)
    if (!ended) return
    const detail = { connection: ended.id, reason }
    const { accountId } = ended
    await audit(work, { actor: 'oauth', action: 'connection.end', accountId, detail })
  }

  return {
    create: ({ limits, ...made }) =>
      database.write(async (work) => {
        const wallet = await findWallet(work, made.walletId)
        if (wallet?.accountId !== made.accountId)
          throw new Error(`account ${made.accountId} has no wallet ${made.walletId}`)
        const createdAt = clock.now()
        const id = newId(createdAt)
        const columns = limits
          ? { canSend: 1 as const, ...columnsOf(limits) }
          : { canSend: 0 as const, dailySpend: ZERO, dailyMessages: 0, recipients: null }
        await insertConnection(work, { id, ...made, ...columns, createdAt })
        const { accountId, walletId, clientId, clientName, redirectHost } = made
        const detail = { connection: id, walletId, clientId, clientName, redirectHost, ...columns }
        await audit(work, { actor: 'portal', action: 'connection.create', accountId, detail })
        return id
      }),

    refuse: (accountId, detail) =>
      database.write((work) =>
        audit(work, { actor: 'portal', action: 'connection.refuse', accountId, detail }),
      ),

    async list(accountId) {
      const now = clock.now()
      const rows = await database.read((work) => connectionsOf(work, accountId, now - SHOWN_MS))
      const views = rows.map(({ connection, currency }) => viewOf(connection, currency, now))
      const ended = views.filter(({ endedAt }) => endedAt !== undefined)
      return [
        ...views.filter(({ endedAt }) => endedAt === undefined),
        ...ended.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)),
      ]
    },

    changeLimits: (accountId, id, limits) =>
      database.write(async (work) => {
        const columns = columnsOf(limits)
        if (!(await setLimits(work, { accountId, id, ...columns }))) return false
        const detail = { connection: id, ...columns }
        await audit(work, { actor: 'portal', action: 'connection.limits', accountId, detail })
        return true
      }),

    revoke: (accountId, id) =>
      database.write(async (work) => {
        if (!(await end(work, { accountId, id }))) return false
        const detail = { connection: id }
        await audit(work, { actor: 'portal', action: 'connection.revoke', accountId, detail })
        return true
      }),

    async byGrant(grantId) {
      const found = await database.read((work) => findByGrant(work, grantId))
      if (found?.accountStatus !== 'active') return undefined
      const { id, accountId, canSend } = found.connection
      return { id, accountId, canSend: canSend === 1 }
    },

    endGrant: (grantId, reason) =>
      database.write(async (work) => {
        const found = await findByGrant(work, grantId)
        if (found) await endByItself(work, found.connection, reason)
      }),

    endUnreachable() {
      const before = epochMs(clock.now() - LEFT_ALONE_MS)
      return walk(
        (after) => database.read((work) => connectionIds(work, after)),
        async (ids) => {
          const left = await database.read((work) => unreachable(work, ids, before))
          for (const connection of left)
            await database.write((work) => endByItself(work, connection, 'its last token expired'), {
              patient: true,
            })
        },
      )
    },
  }
}

/** Limits as a row holds them. What a form could not have let through is a fault of ours: hence a RangeError. */
function columnsOf({ dailySpend, dailyMessages, recipients }: ConnectionLimits) {
  const isCount = Number.isSafeInteger(dailyMessages) && dailyMessages >= 0
  if (!isCount || micros(dailySpend) < 0 || !(recipients ?? []).every(isRecipientRule)) {
    const got = JSON.stringify({ dailySpend, dailyMessages, recipients })
    throw new RangeError(`expected limits of at least 0, and rules such as 23320*, got ${got}`)
  }
  return { dailySpend, dailyMessages, recipients: recipients?.join(' ') ?? null }
}

function viewOf(row: ConnectionRow, currency: string, now: EpochMs): ConnectionView {
  const { id, clientId, clientName, redirectHost, walletId, createdAt } = row
  const { day, daySpend, dayMessages, dailySpend, dailyMessages } = row
  const recipients = row.recipients === null ? undefined : parseRules(row.recipients)
  const { spent, messages } = usedToday({ day, spent: daySpend, messages: dayMessages }, now)
  return {
    id,
    clientId,
    clientName,
    redirectHost,
    wallet: { id: walletId, currency },
    createdAt,
    lastUsedAt: timeOf(row.lastUsedAt),
    endedAt: timeOf(row.endedAt),
    limits: row.canSend === 1 ? { dailySpend, dailyMessages, recipients } : undefined,
    today: { spent, messages },
  }
}

function timeOf(at: number): EpochMs | undefined {
  return at === 0 ? undefined : epochMs(at)
}
