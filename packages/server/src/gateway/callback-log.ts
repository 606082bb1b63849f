import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import { type EpochMs, isTicket } from '../domain/ids.ts'
import {
  type CallbackFilter,
  findCallback,
  type LoggedCallback,
  listCallbacks,
  requeueCallback,
  requeueDead,
} from '../store/callback-log.ts'
import type { Database } from '../store/database.ts'
import { auditWrites } from './assistant-audit.ts'
import { decode, type Page, type PageRequest, pageOf } from './cursor.ts'
import type { WalletPrincipal } from './principal.ts'

/** What was posted to an account's receivers, and having it posted again. */
export interface CallbackLog {
  list(principal: WalletPrincipal, filter: CallbackFilter, page: PageRequest): Promise<Page<LoggedCallback>>
  replay(principal: WalletPrincipal, id: string): Promise<LoggedCallback>
  replayFailed(principal: WalletPrincipal, since: EpochMs): Promise<number>
}

/** Callbacks that are queued again at a time, so that others have their turn in between. */
const REPLAY_SLICE = 500

export interface CallbackLogOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Told after a commit that callbacks wait to be posted. */
  onCallbacks(): void
}

export function createCallbackLog({ database, clock, newId, onCallbacks }: CallbackLogOptions): CallbackLog {
  return {
    async list({ wallet }, filter, { cursor, limit }) {
      const after = decode(cursor)?.id
      const rows = await database.read((connection) =>
        listCallbacks(connection, wallet.id, filter, { after, limit: limit + 1 }),
      )
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    async replay(principal, id) {
      const replayed = await database.write(async (connection) => {
        const callback = isTicket(id)
          ? await findCallback(connection, principal.wallet.id, id.toLowerCase())
          : undefined
        if (!callback) throw new Problem('transaction_not_found', `This account has no callback ${id}.`)
        const now = clock.now()
        await requeueCallback(connection, callback.id, now)
        const write = { principal, operation: 'replayCallback', outcome: 'done' }
        await auditWrites(connection, [write], now, newId)
        return { ...callback, state: 'pending' as const, nextAttemptAt: now }
      })
      onCallbacks()
      return replayed
    },

    async replayFailed(principal, since) {
      const now = clock.now()
      const write = { principal, operation: 'replayFailedCallbacks', outcome: 'done' }
      await database.write((connection) => auditWrites(connection, [write], now, newId))
      let count = 0
      for (let after = '', more = true; more; ) {
        const slice = { since, after, limit: REPLAY_SLICE, now }
        const ids = await database.write((connection) => requeueDead(connection, principal.wallet.id, slice))
        count += ids.length
        more = ids.length === REPLAY_SLICE
        after = ids.at(-1) ?? after
        if (ids.length > 0) onCallbacks()
        await new Promise(setImmediate)
      }
      return count
    },
  }
}
