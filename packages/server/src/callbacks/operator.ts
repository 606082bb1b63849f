import type { Changes } from '../flow/changes.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import {
  type CallbackFilter,
  deadCallbacks,
  type LoggedCallback,
  listCallbacks,
  oldestToReplay,
  sumDead,
} from './log-rows.ts'
import { type Replayed, type ReplayedState, replaySince, requeueCallback } from './replay.ts'

/** Callbacks of all accounts, for operators to see and replay. Every replay is audited. */
export class OperatorCallbacks {
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #changes: Pick<Changes, 'note'>
  readonly #audit: ReturnType<typeof createOperatorAudit>

  constructor(parts: OperatorAuditOptions & { database: Database; changes: Pick<Changes, 'note'> }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#changes = parts.changes
    this.#audit = createOperatorAudit(parts)
  }

  /** The newest callbacks of an account; of all accounts if undefined. */
  list(accountId: string | undefined, filter: CallbackFilter, limit: number): Promise<LoggedCallback[]> {
    return this.#database.read(async (tx) => {
      const found: LoggedCallback[] = []
      // By wallet, as the indexes are: a state that is rare is found at once among millions of others.
      for (const { id } of await walletsWith(tx, accountId)) {
        found.push(...(await listCallbacks(tx, id, filter, { after: undefined, limit })))
      }
      return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
    })
  }

  /** The newest callbacks of all accounts that were given up, those before one of them. */
  dead(limit: number, before?: string): Promise<LoggedCallback[]> {
    return this.#database.read((tx) => deadCallbacks(tx, { before, limit }))
  }

  /** How many were given up, counted up to a limit, and of how many accounts these are. */
  sumDead(most: number): Promise<{ callbacks: number; accounts: number }> {
    return this.#database.read((tx) => sumDead(tx, most))
  }

  /**
   * Posts a message's callbacks again, but for those that are due already. `seen` is the number of the last attempt that
   * the operator saw: a callback with a later one is skipped too.
   */
  async replayOf(ticket: string, seen?: number): Promise<Replayed> {
    const done = { replayed: 0, skipped: 0 }
    const wallets = new Set<string>()
    await this.#database.write(async (tx) => {
      const now = this.#clock.now()
      for (const { id, accountId, walletId } of await callbacksAbout(tx, ticket, { now, seen })) {
        const queued = await requeueCallback(tx, id, now)
        if (queued === 'spent') done.skipped++
        if (queued !== 'queued') continue
        done.replayed++
        wallets.add(walletId)
        await this.#audit(tx, { action: 'callback.replay', accountId, detail: { ticket, callback: id } })
      }
    })
    for (const id of wallets) this.#changes.note(id)
    return done
  }

  /** Posts callbacks again: of those made since a time, if one is given, those in a state. Accounts without any are left out. */
  async replay(accountId: string | undefined, { since, state }: ToPostAgain): Promise<ReplayedOf[]> {
    const now = this.#clock.now()
    const accounts: ReplayedOf[] = []
    const entry = { action: 'callback.replay', detail: { since, state } } as const
    const onCallbacks = (walletId: string) => this.#changes.note(walletId)
    for (const wallet of await this.#database.read((tx) => walletsWith(tx, accountId))) {
      const begun = await this.#database.write(async (tx) => {
        if ((await oldestToReplay(tx, wallet.id, now, state)) === undefined) return false
        await this.#audit(tx, { ...entry, accountId: wallet.accountId })
        return true
      })
      if (!begun) continue
      const which = { since: since ?? epochMs(0), state, now, onCallbacks }
      const done = await replaySince(this.#database, wallet.id, which)
      if (done.replayed + done.skipped > 0) accounts.push({ accountId: wallet.accountId, ...done })
    }
    return accounts
  }
}

interface ToPostAgain {
  since: EpochMs | undefined
  /** Default: both. */
  state: ReplayedState | undefined
}

/** How many callbacks of an account are posted again, and how many were left. */
interface ReplayedOf extends Replayed {
  accountId: string
}

function walletsWith(
  { run }: Tx,
  accountId: string | undefined,
): Promise<{ id: string; accountId: string }[]> {
  const all = 'SELECT id, account_id AS "accountId" FROM wallets'
  return accountId === undefined
    ? run(`${all} ORDER BY id`, [])
    : run(`${all} WHERE account_id = $1`, [accountId])
}

/** The callbacks about a message that are not due already, and had no attempt after the last one that was seen. */
async function callbacksAbout(
  { run }: Tx,
  ticket: string,
  { now, seen }: { now: EpochMs; seen: number | undefined },
): Promise<{ id: string; accountId: string; walletId: string }[]> {
  const rows = await run<{ id: string; accountId: string; walletId: string; last: number | null }>(
    `SELECT c.id, c.account_id AS "accountId", c.wallet_id AS "walletId",
       (SELECT max(a.seq) FROM callback_attempts a WHERE a.callback_id = c.id) AS last
     FROM callbacks c LEFT JOIN outbox o ON o.id = c.id
     WHERE c.message_id = $1 AND (o.run_at IS NULL OR o.run_at > $2) ORDER BY c.id`,
    [ticket, now],
  )
  return rows.filter(({ last }) => seen === undefined || (last ?? 0) === seen)
}
