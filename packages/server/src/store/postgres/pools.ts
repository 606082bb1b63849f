import pg from 'pg'
import type { Pulse } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { CommitUncertain, type Pool, StoreUnavailable } from '../database.ts'
import { isSpent, translated } from './errors.ts'
import type { Hosts } from './hosts.ts'
import { type Kind, Watchdog } from './liveness.ts'
import { type SessionUse, setUp, type Wanted } from './session.ts'

/** A server that vanished closes nothing: after this long, the system asks it for a sign of life. */
const QUIET_MS = 10_000
/** How long work may wait until it has a connection. */
const CONNECTED_WITHIN_MS = 10_000

/** Of every connection to the server. */
export const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: QUIET_MS }

/**
 * The connections to PostgreSQL, in two pools: writes that wait for locks cannot use up the connections of readers, and
 * the reverse.
 */
export class Pools {
  readonly #hosts: Hosts
  readonly #wanted: Wanted
  readonly #onIdleError: (error: Error) => void
  readonly #watchdog: Watchdog | undefined
  readonly #pools: Readonly<Record<Kind, pg.Pool>>
  readonly #open = new Set<pg.PoolClient>()
  /** The pool handles errors of idle connections only: an unhandled one on a connection in use would end the process. */
  readonly #broken = new WeakSet<pg.PoolClient>()
  /**
   * A new era begins when the server vanishes. Connections of older eras are probably dead, so they are
   * dropped before any work waits for an answer from them.
   */
  #current = 0
  readonly #era = new WeakMap<pg.PoolClient, number>()

  constructor(
    hosts: Hosts,
    own: {
      connections: number
      wanted: Wanted
      readOnly?: boolean | undefined
      answerWithinMs?: number | undefined
      pulse?: Pulse | undefined
      onIdleError(error: Error): void
    },
  ) {
    this.#hosts = hosts
    this.#wanted = own.wanted
    this.#onIdleError = own.onIdleError
    this.#watchdog =
      own.answerWithinMs === undefined
        ? undefined
        : new Watchdog(own.answerWithinMs, (client) => this.#giveUp(client), own.pulse)
    // A server that lost its part answers no more, or too late to count.
    hosts.onMoved((isElsewhere) => {
      for (const client of this.#open) if (isElsewhere(client)) this.#end(client)
    })
    const readers = Math.floor(own.connections / 3)
    this.#pools = {
      read: this.#openPool(readers, own.readOnly ? 'to read alone' : 'to read'),
      write: this.#openPool(own.connections - readers, own.readOnly ? 'to read alone' : 'to write'),
    }
  }

  /** Runs work on a connection. Its errors are ours. `long` work may go without an answer. */
  async use<T>(
    kind: Kind,
    work: (client: pg.PoolClient) => Promise<T>,
    { long = false }: { long?: boolean } = {},
  ): Promise<T> {
    const client = await this.#connect(this.#pools[kind])
    try {
      if (!long) this.#watchdog?.begin(client)
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client.release(this.#broken.has(client) || isSpent(error))
      if (this.#broken.has(client) && !(error instanceof CommitUncertain))
        throw new StoreUnavailable('the connection to PostgreSQL broke', { cause: error })
      throw translated(error)
    } finally {
      this.#watchdog?.end(client)
    }
  }

  pools(): Pool[] {
    return [poolOf('read', this.#pools.read), poolOf('write', this.#pools.write)]
  }

  async close(): Promise<void> {
    await Promise.all([this.#pools.read.end(), this.#pools.write.end()])
    this.#watchdog?.stop()
  }

  #openPool(max: number, use: SessionUse): pg.Pool {
    const pool = new pg.Pool({
      ...KEPT_ALIVE,
      Client: this.#hosts.Client,
      connectionTimeoutMillis: CONNECTED_WITHIN_MS,
      max,
      idleTimeoutMillis: MINUTE_MS,
      types: { getTypeParser: bigintsAsNumbers },
      verify: (client, done) => void this.#verify(client, use).then(() => done(), done),
    })
    pool.on('error', this.#onIdleError).on('remove', (client) => this.#open.delete(client))
    return pool.on('connect', (client) => {
      this.#open.add(client)
      client.on('error', () => this.#broken.add(client))
      this.#watchdog?.meet(client)
    })
  }

  async #verify(client: pg.PoolClient, use: SessionUse): Promise<void> {
    const late = setTimeout(() => this.#end(client), this.#hosts.connectWithinMs)
    try {
      await setUp(client, use, this.#wanted)
      this.#hosts.worked(client)
      this.#era.set(client, this.#current)
    } catch (error) {
      this.#hosts.failed(client)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  /** A connection that is there, or else to the first host that serves us. */
  async #connect(pool: pg.Pool): Promise<pg.PoolClient> {
    const deadline = performance.now() + CONNECTED_WITHIN_MS
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connectNow(pool)
      } catch (error) {
        if (tries < this.#hosts.count && performance.now() < deadline) continue
        throw new StoreUnavailable('no connection to PostgreSQL', { cause: error })
      }
    }
  }

  async #connectNow(pool: pg.Pool): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect()
      if (this.#era.get(client) === this.#current) return client
      this.#end(client)
      client.release(true)
    }
  }

  /** Fails what a connection was asked, and needs no answer for that. */
  #end(client: pg.PoolClient): void {
    this.#broken.add(client)
    if (client instanceof pg.Client) client.connection.stream.destroy()
  }

  #giveUp(client: pg.PoolClient): void {
    this.#end(client)
    this.#current++
  }
}

function poolOf(name: Pool['name'], { options, totalCount, idleCount, waitingCount }: pg.Pool): Pool {
  return { name, most: options.max, inUse: totalCount - idleCount, waiting: waitingCount }
}

/** Parses BIGINT as a number. Ours are all safe integers: micros, milliseconds or counts. */
function bigintsAsNumbers(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(oid, format)
}
