import {
  isRecipientRule,
  type Micros,
  micros,
  parseRules,
  toDecimal,
  type Unasked,
  ZERO,
} from '@wigwag/contract'
import { type ToolProgram, toolProgramsOf } from '../accounts/index.ts'
import { lockRole, mayDo } from '../accounts/people/index.ts'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import { usedToday } from '../kernel/money/daily-use.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { DAY_MS } from '../kernel/time/spans.ts'
import type { SharedLimit } from '../messages/sending/index.ts'
import { findWallet } from '../money/index.ts'
import { type Audit, actorOf, createAudit } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import type { Role } from '../store/schema/schema.ts'
import { type Step, walk } from '../store/slices.ts'
import { sharedWith } from './allowances.ts'
import {
  connectionIds,
  connectionsOf,
  findByGrantId,
  insertConnection,
  removeGrant,
  setLimits,
  unaskedOf,
  unreachable,
  type Which,
} from './connection-rows.ts'
import { endWithTokens } from './end-connections.ts'

/** The limits that a person sets on a connection: per day in UTC, and on recipients. */
export interface ConnectionLimits {
  dailySpend: Micros
  dailyMessages: number
  /** Whole numbers, or the beginning of one and `*`; undefined allows everyone. */
  recipients: readonly string[] | undefined
  /** Whether it sends when the person can't be asked to confirm. */
  unasked: Unasked
}

export interface NewConnection {
  accountId: string
  /** Who gives it, and for whom it acts. */
  personId: string
  walletId: string
  grantId: string
  clientId: string
  clientName: string
  redirectHost: string
  /** Undefined for a connection that may only read. */
  limits: ConnectionLimits | undefined
}

export interface ConnectionView {
  id: string
  personId: string
  /** The address of who gave it; undefined once they are forgotten. */
  email: string | undefined
  clientId: string
  clientName: string
  redirectHost: string
  wallet: { id: string; currency: string }
  createdAt: EpochMs
  lastUsedAt: EpochMs | undefined
  endedAt: EpochMs | undefined
  limits: ConnectionLimits | undefined
  /** Use that counts against the limits of the current day in UTC. */
  today: { spent: Micros; messages: number }
}

/** An active connection, as far as a token is checked against it. */
export interface ActiveConnection {
  id: string
  accountId: string
  canSend: boolean
  unasked: Unasked
  lastUsedAt: number
}

/** Who looks after connections: an owner after all of the account, others after those that they made. */
export interface Giver {
  personId: string
  accountId: string
  role: Role
}

const SHOWN_MS = 30 * DAY_MS
/**
 * An assistant fetches its first token within a minute; there is no hurry to end a connection whose assistant did not.
 */
const LEFT_ALONE_MS = DAY_MS

/** The connections of assistants to accounts, which people allow. Every change leaves an audit row. */
export class Connections {
  readonly #database: Database
  readonly #clock: Clock
  readonly #newId: Parts['newId']
  readonly #audit: Audit

  constructor(parts: Pick<Parts, 'database' | 'clock' | 'newId'>) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#newId = parts.newId
    this.#audit = createAudit(parts)
  }

  /** Undefined when the person's role does not allow it any more; then the grant is deleted. */
  create({ limits, ...made }: NewConnection): Promise<string | undefined> {
    return this.#database.write(async (tx) => {
      const wallet = await findWallet(tx, made.walletId)
      if (wallet?.accountId !== made.accountId)
        throw new Error(`account ${made.accountId} has no wallet ${made.walletId}`)
      // Locked: who is removed at this moment takes the connection along, or makes none.
      const role = await lockRole(tx, made)
      if (!role || !mayDo(role, limits ? 'assistants that send' : 'assistants')) {
        await removeGrant(tx, made.grantId)
        return undefined
      }
      const createdAt = this.#clock.now()
      const id = this.#newId(createdAt)
      const columns = limits ? { canSend: 1 as const, ...columnsOf(limits) } : ONLY_READS
      await insertConnection(tx, { id, ...made, ...columns, createdAt })
      const { accountId, personId, walletId, clientId, clientName, redirectHost } = made
      const detail = { connection: id, walletId, clientId, clientName, redirectHost, ...shown(columns) }
      await this.#audit(tx, { actor: actorOf(personId), action: 'connection.create', accountId, detail })
      return id
    })
  }

  /** Records that a person refused an assistant. */
  refuse({ accountId, personId }: Giver, detail: { id: string; name: string }): Promise<void> {
    return this.#database.write((tx) =>
      this.#audit(tx, { actor: actorOf(personId), action: 'connection.refuse', accountId, detail }),
    )
  }

  /** Active connections, newest first, then those that ended in the last 30 days, most recently ended first. */
  async list(accountId: string): Promise<ConnectionView[]> {
    const now = this.#clock.now()
    const rows = await this.#database.read((tx) => connectionsOf(tx, accountId, now - SHOWN_MS))
    const views = rows.map((row) => viewOf(row, now))
    const ended = views.filter(({ endedAt }) => endedAt !== undefined)
    return [
      ...views.filter(({ endedAt }) => endedAt === undefined),
      ...ended.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)),
    ]
  }

  /** Daily limits that all assistants of a person share, and all of their account. Empty where none is set. */
  shared(person: Pick<Giver, 'accountId' | 'personId'>): Promise<SharedLimit[]> {
    return this.#database.read((tx) => sharedWith(tx, person, this.#clock.now()))
  }

  /** The programs that use the tools with the account's API credentials, without a connection: the latest first. */
  programs(accountId: string): Promise<ToolProgram[]> {
    return this.#database.read((tx) => toolProgramsOf(tx, accountId))
  }

  /** False when the person may not change it, or there is no such active connection that may send. */
  changeLimits(person: Giver, id: string, limits: ConnectionLimits): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const columns = columnsOf(limits)
      if (!(await setLimits(tx, inReachOf(person, id), columns))) return false
      const { accountId, personId } = person
      const detail = { connection: id, ...shown(columns) }
      await this.#audit(tx, { actor: actorOf(personId), action: 'connection.limits', accountId, detail })
      return true
    })
  }

  /**
   * Ends a connection and, in the same transaction, deletes its tokens and the authorization server's records of it.
   * False when the person may not end it, or there is no such active connection.
   */
  revoke(person: Giver, id: string): Promise<boolean> {
    return this.#database.write(async (tx) => {
      if (!(await endWithTokens(tx, inReachOf(person, id), this.#clock.now()))) return false
      const { accountId, personId } = person
      const detail = { connection: id }
      await this.#audit(tx, { actor: actorOf(personId), action: 'connection.revoke', accountId, detail })
      return true
    })
  }

  /** Finds an active connection by the id of its grant in the authorization server, if its account is active. */
  async byGrant(grantId: string): Promise<ActiveConnection | undefined> {
    const found = await this.#database.read((tx) => findByGrantId(tx, grantId))
    if (found?.accountStatus !== 'active' || !mayDo(found.role, 'assistants')) return undefined
    const { id, accountId, unasked, lastUsedAt } = found.connection
    const canSend = found.connection.canSend === 1 && mayDo(found.role, 'assistants that send')
    return { id, accountId, canSend, unasked, lastUsedAt }
  }

  /** Whether the assistant sends when its person can't be asked; undefined for an unknown or ended connection. */
  unasked(id: string): Promise<Unasked | undefined> {
    return this.#database.read((tx) => unaskedOf(tx, id))
  }

  /** Ends a connection like `revoke`, for the authorization server, unless it has ended already. */
  endByGrant(grantId: string, reason: string): Promise<void> {
    return this.#database.write(async (tx) => {
      const found = await findByGrantId(tx, grantId)
      if (found) await this.#endByItself(tx, found.connection, reason)
    })
  }

  /**
   * Returns a step that ends a slice of the connections that can no longer be used: the last token has expired, or the
   * first one was never fetched.
   */
  endUnreachable(): Step {
    const before = epochMs(this.#clock.now() - LEFT_ALONE_MS)
    return walk(
      (after) => this.#database.read((tx) => connectionIds(tx, after)),
      async (ids) => {
        const left = await this.#database.read((tx) => unreachable(tx, ids, before))
        for (const connection of left)
          await this.#database.write((tx) => this.#endByItself(tx, connection, 'its last token expired'), {
            patient: true,
          })
      },
    )
  }

  async #endByItself(tx: Tx, which: Which, reason: string): Promise<void> {
    const ended = await endWithTokens(tx, which, this.#clock.now())
    if (!ended) return
    const detail = { connection: ended.id, reason }
    const { accountId } = ended
    await this.#audit(tx, { actor: 'oauth', action: 'connection.end', accountId, detail })
  }
}

const ONLY_READS = {
  canSend: 0 as const,
  dailySpend: ZERO,
  dailyMessages: 0,
  recipients: null,
  unasked: 'refuse' as const,
}

function inReachOf({ accountId, personId, role }: Giver, id: string): Which {
  return { accountId, id, personId: mayDo(role, 'people') ? undefined : personId }
}

/** Limits in the audit log. */
function shown<Columns extends { dailySpend: Micros }>(columns: Columns) {
  return { ...columns, dailySpend: toDecimal(columns.dailySpend) }
}

/** Limits as a row stores them. Forms let no invalid limits through, so those are a bug: hence the RangeError. */
function columnsOf({ dailySpend, dailyMessages, recipients, unasked }: ConnectionLimits) {
  const isCount = Number.isSafeInteger(dailyMessages) && dailyMessages >= 0
  if (!isCount || micros(dailySpend) < 0 || !(recipients ?? []).every(isRecipientRule)) {
    const got = JSON.stringify({ dailySpend, dailyMessages, recipients })
    throw new RangeError(`expected limits of at least 0, and rules such as 23320*, got ${got}`)
  }
  return { dailySpend, dailyMessages, recipients: recipients?.join(' ') ?? null, unasked }
}

function viewOf({ connection: row, currency, email }: ListedConnection, now: EpochMs): ConnectionView {
  const { id, personId, clientId, clientName, redirectHost, walletId, createdAt } = row
  const { day, daySpend, dayMessages, dailySpend, dailyMessages, unasked } = row
  const recipients = row.recipients === null ? undefined : parseRules(row.recipients)
  const { spent, messages } = usedToday({ day, spent: daySpend, messages: dayMessages }, now)
  return {
    id,
    personId,
    email: email ?? undefined,
    clientId,
    clientName,
    redirectHost,
    wallet: { id: walletId, currency },
    createdAt,
    lastUsedAt: timeOf(row.lastUsedAt),
    endedAt: timeOf(row.endedAt),
    limits: row.canSend === 1 ? { dailySpend, dailyMessages, recipients, unasked } : undefined,
    today: { spent, messages },
  }
}

type ListedConnection = Awaited<ReturnType<typeof connectionsOf>>[number]

function timeOf(at: number): EpochMs | undefined {
  return at === 0 ? undefined : epochMs(at)
}
