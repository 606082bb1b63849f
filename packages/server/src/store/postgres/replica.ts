import type { Clock } from '../../kernel/process/clock.ts'
import { type ReadOnlyDatabase, type Replica, StoreUnavailable, type Tx } from '../database.ts'

/** How old what the standby says may be. */
const MOST_BEHIND_MS = 1_000
/** How often the standby is asked how far it has come, while there are reads. */
const CHECK_MS = 300

/**
 * Reads from a standby while it is known to be at most a second behind, and otherwise from the database.
 * Reads never wait for that check. A read that fails at the standby is repeated at the database, so callers
 * never see the standby's trouble.
 */
export class FollowedStandby implements Replica {
  readonly #database: Replica
  readonly #standby: ReadOnlyDatabase
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #onTurn: (reason: Error | undefined) => void
  /** The standby has everything that was committed before this time. */
  #asOf = Number.NEGATIVE_INFINITY
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking = false
  #last: Reached | undefined
  #isFollowing: boolean | undefined

  /** `onTurn` is called with the reason when reads turn from the standby to the database, and without one when they turn back. */
  constructor(own: {
    database: Replica
    standby: ReadOnlyDatabase
    clock: Pick<Clock, 'elapsed'>
    onTurn(reason: Error | undefined): void
  }) {
    this.#database = own.database
    this.#standby = own.standby
    this.#clock = own.clock
    this.#onTurn = own.onTurn
  }

  async read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#checkAgain()
    if (!this.#isClose()) return this.#database.read(work)
    try {
      return await this.#standby.read(work)
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#asOf = Number.NEGATIVE_INFINITY
      return this.#database.read(work)
    }
  }

  #isClose(): boolean {
    return this.#clock.elapsed() - this.#asOf <= MOST_BEHIND_MS
  }

  #checkAgain(): void {
    if (this.#checking || this.#clock.elapsed() - this.#checkedAt < CHECK_MS) return
    this.#checking = true
    this.#checkedAt = this.#clock.elapsed()
    this.#check()
      .then(
        () => this.#turn(),
        (reason: Error) => this.#turn(reason),
      )
      .finally(() => {
        this.#checking = false
      })
  }

  async #check(): Promise<void> {
    const from = this.#clock.elapsed()
    const now = await this.#database.read(({ run }) => placeIn(run, PRIMARY))
    const there = await this.#standby.read(({ run }) => placeIn(run, STANDBY))
    if (there.source !== now.source) throw new Error('it is another database')
    if (!there.isStandby) throw new Error('it is no standby')
    // While much is written, it has always just missed the newest place; it may have reached that of the check before.
    const reached = [{ position: now.position, from }, this.#last].find(
      (place) => place !== undefined && there.position >= place.position,
    )
    if (reached) this.#asOf = reached.from
    this.#last = { position: now.position, from }
    if (!this.#isClose()) throw new Error('it is more than a second behind')
  }

  #turn(reason?: Error): void {
    if (this.#isFollowing !== (reason === undefined)) this.#onTurn(reason)
    this.#isFollowing = reason === undefined
  }
}

/** A place in the log of the database, and when it had come so far. */
interface Reached {
  position: number
  from: number
}

interface Place {
  position: number
  source: string
  isStandby: boolean
}

async function placeIn(run: Tx['run'], statement: string): Promise<Place> {
  const [place] = await run<Place>(statement, [])
  if (!place) throw new Error('expected the server to say how far it has come')
  return place
}

const at = (place: string) => `SELECT pg_wal_lsn_diff(${place}, '0/0')::bigint AS position,
  system_identifier || '/' || current_database() AS source, pg_is_in_recovery() AS "isStandby"
  FROM pg_control_system()`
const PRIMARY = at('pg_current_wal_lsn()')
const STANDBY = at("coalesce(pg_last_wal_replay_lsn(), '0/0')")
