import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Changes } from '../platform/changes.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import {
  type CallbackFilter,
  deadCallbacks,
  type LoggedCallback,
  listCallbacks,
  oldestToReplay,
  sumDead,
} from './log-rows.ts'
import { type Replayed, type ReplayedState, replaySince } from './replay.ts'
import { requeueCallback } from './requeue.ts'

/** What an operator sees of callbacks, and does with them. A replay leaves an audit row for each account. */
export interface OperatorCallbacks {
  /** The newest callbacks of an account; of all accounts if undefined. */
  list(accountId: string | undefined, filter: CallbackFilter, limit: number): Promise<LoggedCallback[]>
  /** The newest callbacks of all accounts that were given up, those before one of them. */
  dead(limit: number, before?: string): Promise<LoggedCallback[]>
  /** How many were given up, counted up to a limit, and of how many accounts these are. */
  sumDead(most: number): Promise<{ callbacks: number; accounts: number }>
  /**
   * Posts the callback of one message again. One that is due is left, and one that was posted since so many attempts were
   * seen.
   */
  replayOf(ticket: string, seen?: number): Promise<Replayed>
  /** Posts callbacks again: of those made since a time, if one is given, those in a state. Accounts without any are left out. */
  replay(accountId: string | undefined, which: ToPostAgain): Promise<ReplayedOf[]>
}

export interface ToPostAgain {
  since: EpochMs | undefined
  /** What was given up and what waits for a later attempt, if undefined. */
  state: ReplayedState | undefined
}

/** How many callbacks of an account are posted again, and how many were left. */
export interface ReplayedOf extends Replayed {
  accountId: string
}

export interface OperatorCallbacksParts extends OperatorAuditOptions {
  database: Database
  changes: Pick<Changes, 'note'>
}

export function createOperatorCallbacks(parts: OperatorCallbacksParts): OperatorCallbacks {
  const { database, clock, changes } = parts
  const audit = createOperatorAudit(parts)
  return {
    list: (accountId, filter, limit) =>
      database.read(async (tx) => {
        const found: LoggedCallback[] = []
        // By wallet, as the indexes are: a state that is rare is found at once among millions of others.
        for (const { id } of await walletsWith(tx, accountId)) {
          found.push(...(await listCallbacks(tx, id, filter, { after: undefined, limit })))
        }
        return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
      }),

    dead: (limit, before) => database.read((tx) => deadCallbacks(tx, { before, limit })),
    sumDead: (most) => database.read((tx) => sumDead(tx, most)),

    async replayOf(ticket, seen) {
      const done = { replayed: 0, skipped: 0 }
      const wallets = new Set<string>()
      await database.write(async (tx) => {
        const now = clock.now()
        for (const { id, accountId, walletId } of await callbacksAbout(tx, ticket, { now, seen })) {
          const queued = await requeueCallback(tx, id, now)
          if (queued === 'spent') done.skipped++
          if (queued !== 'queued') continue
          done.replayed++
          wallets.add(walletId)
          await audit(tx, { action: 'callback.replay', accountId, detail: { ticket, callback: id } })
        }
      })
      for (const id of wallets) changes.note(id)
      return done
    },

    async replay(accountId, { since, state }) {
      const now = clock.now()
      const accounts: ReplayedOf[] = []
      const entry = { action: 'callback.replay', detail: { since, state } } as const
      for (const wallet of await database.read((tx) => walletsWith(tx, accountId))) {
        const begun = await database.write(async (tx) => {
          if ((await oldestToReplay(tx, wallet.id, now, state)) === undefined) return false
          await audit(tx, { ...entry, accountId: wallet.accountId })
          return true
        })
        if (!begun) continue
        const which = { since: since ?? epochMs(0), state, now, onCallbacks: changes.note }
        const done = await replaySince(database, wallet.id, which)
        if (done.replayed + done.skipped > 0) accounts.push({ accountId: wallet.accountId, ...done })
      }
      return accounts
    },
  }
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

/** The callbacks about a message that are not due already, nor posted since so many attempts were seen. */
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
