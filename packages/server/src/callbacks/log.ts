import { auditWrites } from '../audit/index.ts'
import { Problem } from '../domain/errors.ts'
import { type EpochMs, isTicket } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { decode, type Page, type PageRequest, pageOf } from '../platform/http/paging.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import {
  type CallbackFilter,
  countInState,
  countWaiting,
  findCallback,
  type LoggedCallback,
  listCallbacks,
  oldestToReplay,
} from './log-rows.ts'
import { type Replayed, replaySince } from './replay.ts'
import { MOST_REPLAYS, requeueCallback } from './requeue.ts'
import type { CallbackRow } from './rows.ts'

/** Lists the callbacks of a wallet and has them posted again. */
export interface CallbackLog {
  list(principal: WalletPrincipal, filter: CallbackFilter, page: PageRequest): Promise<Page<LoggedCallback>>
  /** How many there are in each state since a time, each counted up to {@link MOST_COUNTED}. */
  states(principal: WalletPrincipal, since: EpochMs): Promise<Record<CallbackRow['state'], number>>
  /** Those that {@link replayFailed} would post since a time, or all; undefined when there are none. */
  toReplay(principal: WalletPrincipal, since: EpochMs | undefined): Promise<ToReplay | undefined>
  replay(principal: WalletPrincipal, id: string): Promise<LoggedCallback>
  /** Posts again what was given up since a time, and what waits for a later attempt. */
  replayFailed(principal: WalletPrincipal, since: EpochMs): Promise<Replayed>
}

/** Numbers are counted up to {@link MOST_COUNTED}. */
export interface ToReplay {
  givenUp: number
  /** Those that wait for a later attempt. */
  waiting: number
  /** The time since which they are counted. */
  since: EpochMs
}

export const MOST_COUNTED = 10_000

const SPENT = `Expected a callback to be posted again at most ${MOST_REPLAYS} times on a day; this one was. Try again after midnight UTC.`

export interface CallbackLogOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Called after a commit when callbacks of a wallet wait to be posted. */
  onCallbacks(walletId: string): void
}

export function createCallbackLog({ database, clock, newId, onCallbacks }: CallbackLogOptions): CallbackLog {
  return {
    async list({ wallet }, filter, { cursor, limit }) {
      const after = decode(cursor)?.id
      const rows = await database.read((tx) =>
        listCallbacks(tx, wallet.id, filter, { after, limit: limit + 1 }),
      )
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    states({ wallet }, since) {
      const most = MOST_COUNTED
      return database.read(async (tx) => ({
        pending: await countInState(tx, wallet.id, { state: 'pending', since, most }),
        delivered: await countInState(tx, wallet.id, { state: 'delivered', since, most }),
        dead: await countInState(tx, wallet.id, { state: 'dead', since, most }),
      }))
    },

    toReplay({ wallet }, since) {
      return database.read(async (tx) => {
        const now = clock.now()
        const oldest = since ?? (await oldestToReplay(tx, wallet.id, now))
        if (oldest === undefined) return undefined
        const most = MOST_COUNTED
        const givenUp = await countInState(tx, wallet.id, { state: 'dead', since: oldest, most })
        const waiting = await countWaiting(tx, wallet.id, { since: oldest, now, most })
        return givenUp + waiting === 0 ? undefined : { givenUp, waiting, since: oldest }
      })
    },

    async replay(principal, id) {
      const replayed = await database.write(async (tx) => {
        const callback = isTicket(id)
          ? await findCallback(tx, principal.wallet.id, id.toLowerCase())
          : undefined
        const now = clock.now()
        const queued = callback ? await requeueCallback(tx, callback.id, now) : 'gone'
        if (!callback || queued === 'gone')
          throw new Problem('transaction_not_found', `This account has no callback ${id}.`)
        if (queued === 'spent') throw new Problem('too_many', SPENT)
        const write = { principal, operation: 'replayCallback', outcome: 'done' }
        await auditWrites(tx, [write], now, newId)
        return { ...callback, state: 'pending' as const, nextAttemptAt: now }
      })
      onCallbacks(principal.wallet.id)
      return replayed
    },

    async replayFailed(principal, since) {
      const now = clock.now()
      const write = { principal, operation: 'replayFailedCallbacks', outcome: 'done' }
      await database.write((tx) => auditWrites(tx, [write], now, newId))
      return replaySince(database, principal.wallet.id, { since, now, onCallbacks })
    },
  }
}
