import type { Clock } from '../../clock.ts'
import { type ReadOnlyDatabase, type Replica, StoreUnavailable, type Tx } from '../database.ts'

export interface ReplicaOptions {
  /** What the standby follows. */
  database: Replica
  standby: ReadOnlyDatabase
  clock: Pick<Clock, 'elapsed'>
  /** Called with the reason when reads turn from the standby to the database, and without one when they turn back. */
  onTurn(reason: Error | undefined): void
}

/** How old what the standby says may be. */
const MOST_BEHIND_MS = 1_000
/** How often the standby is asked how far it has come, while there are reads. */
const CHECK_MS = 300

/**
 * Reads from a standby while that is known to have everything of a second ago, and else from the database. Reads never
 * wait to learn it. What fails at the standby is read again from the database, so its trouble is never a caller's.
 */
export function createReplica({ database, standby, clock, onTurn }: ReplicaOptions): Replica {
  /** The standby has everything that was committed before this time. */
  let asOf = Number.NEGATIVE_INFINITY
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking = false
  let last: Reached | undefined
  let isFollowing: boolean | undefined

  const isClose = () => clock.elapsed() - asOf <= MOST_BEHIND_MS

  async function check(): Promise<void> {
    const from = clock.elapsed()
    const now = await database.read(({ run }) => placeIn(run, PRIMARY))
    const there = await standby.read(({ run }) => placeIn(run, STANDBY))
    if (there.source !== now.source) throw new Error('it is another database')
    if (!there.isStandby) throw new Error('it is no standby')
    // While much is written, it has always just missed the newest place; it may have reached that of the check before.
    const reached = [{ position: now.position, from }, last].find(
      (place) => place !== undefined && there.position >= place.position,
    )
    if (reached) asOf = reached.from
    last = { position: now.position, from }
    if (!isClose()) throw new Error('it is more than a second behind')
  }

  function turn(reason?: Error): void {
    if (isFollowing !== (reason === undefined)) onTurn(reason)
    isFollowing = reason === undefined
  }

  function checkAgain(): void {
    if (checking || clock.elapsed() - checkedAt < CHECK_MS) return
    checking = true
    checkedAt = clock.elapsed()
    check()
      .then(() => turn(), turn)
      .finally(() => {
        checking = false
      })
  }

  return {
    async read(work) {
      checkAgain()
      if (!isClose()) return database.read(work)
      try {
        return await standby.read(work)
      } catch (error) {
        if (error instanceof StoreUnavailable) asOf = Number.NEGATIVE_INFINITY
        return database.read(work)
      }
    },
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
