import type { Parts } from '../flow/parts.ts'
import { Problem } from '../kernel/errors.ts'
import { type EpochMs, isTicket } from '../kernel/ids.ts'
import type { WalletPrincipal } from '../kernel/principal.ts'
import { decode, type Page, type PageRequest, pageOf } from '../net/server/paging.ts'
import { auditWrites } from '../store/audit/index.ts'
import {
  type CallbackFilter,
  countInState,
  countWaiting,
  findCallback,
  type LoggedCallback,
  listCallbacks,
  oldestToReplay,
} from './log-rows.ts'
import { MOST_REPLAYS, type Replayed, replaySince, requeueCallback } from './replay.ts'
import type { CallbackRow } from './rows.ts'

/** Numbers are counted up to {@link MOST_COUNTED}. */
export interface ToReplay {
  givenUp: number
  /** Callbacks that wait for a later attempt. */
  waiting: number
  /** The time since which they are counted. */
  since: EpochMs
}

export const MOST_COUNTED = 10_000

const SPENT = `Expected a callback to be posted again at most ${MOST_REPLAYS} times on a day; this one was. Try again after midnight UTC.`

/** Lists the callbacks of a wallet and has them posted again. */
export class CallbackLog {
  readonly #parts: Pick<Parts, 'database' | 'clock' | 'newId'>
  readonly #onCallbacks: (walletId: string) => void

  constructor(
    parts: Pick<Parts, 'database' | 'clock' | 'newId'>,
    /** Called after a commit when callbacks of a wallet wait to be posted. */
    onCallbacks: (walletId: string) => void,
  ) {
    this.#parts = parts
    this.#onCallbacks = onCallbacks
  }

  async list(
    { wallet, withoutTexts }: WalletPrincipal,
    filter: CallbackFilter,
    { cursor, limit }: PageRequest,
  ): Promise<Page<LoggedCallback>> {
    // A request has the number, and an answer may have anything.
    if (withoutTexts) return { items: [], next: undefined }
    const after = decode(cursor)?.id
    const rows = await this.#parts.database.read((tx) =>
      listCallbacks(tx, wallet.id, filter, { after, limit: limit + 1 }),
    )
    return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
  }

  /** How many there are in each state since a time, each counted up to {@link MOST_COUNTED}. */
  states({ wallet }: WalletPrincipal, since: EpochMs): Promise<Record<CallbackRow['state'], number>> {
    const most = MOST_COUNTED
    return this.#parts.database.read(async (tx) => ({
      pending: await countInState(tx, wallet.id, { state: 'pending', since, most }),
      delivered: await countInState(tx, wallet.id, { state: 'delivered', since, most }),
      dead: await countInState(tx, wallet.id, { state: 'dead', since, most }),
    }))
  }

  /** Counts the callbacks that {@link replayFailed} would post, since a time or ever; undefined for none. */
  toReplay({ wallet }: WalletPrincipal, since: EpochMs | undefined): Promise<ToReplay | undefined> {
    return this.#parts.database.read(async (tx) => {
      const now = this.#parts.clock.now()
      const oldest = since ?? (await oldestToReplay(tx, wallet.id, now))
      if (oldest === undefined) return undefined
      const most = MOST_COUNTED
      const givenUp = await countInState(tx, wallet.id, { state: 'dead', since: oldest, most })
      const waiting = await countWaiting(tx, wallet.id, { since: oldest, now, most })
      return givenUp + waiting === 0 ? undefined : { givenUp, waiting, since: oldest }
    })
  }

  async replay(principal: WalletPrincipal, id: string): Promise<LoggedCallback> {
    const replayed = await this.#parts.database.write(async (tx) => {
      const callback = isTicket(id)
        ? await findCallback(tx, principal.wallet.id, id.toLowerCase())
        : undefined
      const now = this.#parts.clock.now()
      const queued = callback ? await requeueCallback(tx, callback.id, now) : 'gone'
      if (!callback || queued === 'gone')
        throw new Problem('transaction_not_found', `This account has no callback ${id}.`)
      if (queued === 'spent') throw new Problem('too_many', SPENT)
      const write = { principal, operation: 'replayCallback', outcome: 'done' } as const
      await auditWrites(tx, [write], now, this.#parts.newId)
      return { ...callback, state: 'pending' as const, nextAttemptAt: now }
    })
    this.#onCallbacks(principal.wallet.id)
    return replayed
  }

  /** Posts again what was given up since a time, and what waits for a later attempt. */
  async replayFailed(principal: WalletPrincipal, since: EpochMs): Promise<Replayed> {
    const now = this.#parts.clock.now()
    const write = { principal, operation: 'replayFailedCallbacks', outcome: 'done' } as const
    await this.#parts.database.write((tx) => auditWrites(tx, [write], now, this.#parts.newId))
    return replaySince(this.#parts.database, principal.wallet.id, {
      since,
      now,
      onCallbacks: this.#onCallbacks,
    })
  }
}
