import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import {
  A_MOMENT_MS,
  CommitUncertain,
  type Database,
  type Pool,
  StoreUnavailable,
  type Tx,
  type Value,
  type WriteOptions,
} from '../database.ts'
import { tables } from '../schema.ts'
import { createScopeGuard } from '../scope-guard.ts'
import { isBroken, isSpent, succeedsAgain, translated } from './errors.ts'
import { createNotices } from './notices.ts'
import { type SessionUse, setUp } from './session.ts'
import { createWatchdog } from './watchdog.ts'

const MOST_TRIES = 4
/** No transaction waits longer for a lock. */
const LOCK_WAIT_MS = 5_000
/** A server that vanished closes nothing: after this long, the system asks it for a sign of life. */
const QUIET_MS = 10_000

export interface PostgresOptions {
  url: string
  /** At least 3. */
  connections: number
  /** Makes the server reject every change. */
  readOnly?: boolean
  /** A connection on which the server has not answered a statement by then is given up. Default: never. */
  answerWithinMs?: number | undefined
  /** Called with errors on idle connections. The pool replaces those connections. */
  onIdleError(error: Error): void
}

/** Opens a pool of connections to PostgreSQL. */
export function openPostgres({
  url,
  connections,
  readOnly,
  answerWithinMs,
  onIdleError,
}: PostgresOptions): Database {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS,
  }
  // The pool handles errors of idle connections only: an unhandled one on a connection in use would end the process.
  const broken = new WeakSet<pg.PoolClient>()
  const watchdog = answerWithinMs === undefined ? undefined : createWatchdog({ answerWithinMs, giveUp })
  function openPool(max: number, use: SessionUse): pg.Pool {
    const pool = new pg.Pool({
      ...connection,
      max,
      idleTimeoutMillis: 60_000,
      types: { getTypeParser: bigintsAsNumbers },
      verify(client, done) {
        watchdog?.begin(client)
        const ready = setUp(client, use).finally(() => watchdog?.end(client))
        ready.then(() => done(), done)
      },
    })
    pool.on('error', onIdleError)
    return pool.on('connect', (client) => {
      client.on('error', () => broken.add(client))
      watchdog?.meet(client)
    })
  }
  function giveUp(client: pg.PoolClient): void {
    broken.add(client)
    // Fails what it was asked, and needs no answer for that.
    if (client instanceof pg.Client) void client.end()
  }
  // Reserved, so that writes waiting for locks cannot use up the readers' connections, and the reverse.
  const readers = Math.floor(connections / 3)
  const reading = openPool(readers, readOnly ? 'to read alone' : 'to read')
  const writing = openPool(connections - readers, readOnly ? 'to read alone' : 'to write')
  const known = new WeakMap<pg.PoolClient, Tx>()
  const guarded = createScopeGuard()

  function connectionOf(client: pg.PoolClient): Tx {
    const tx = known.get(client) ?? connectionTo(client)
    known.set(client, tx)
    return tx
  }

  async function withClient<T>(
    pool: pg.Pool,
    work: (client: pg.PoolClient) => Promise<T>,
    { long = false }: WriteOptions = {},
  ): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new StoreUnavailable('no connection to PostgreSQL', { cause: error })
    })
    try {
      if (!long) watchdog?.begin(client)
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client.release(broken.has(client) || isSpent(error))
      if (broken.has(client) && !(error instanceof CommitUncertain))
        throw new StoreUnavailable('the connection to PostgreSQL broke', { cause: error })
      throw translated(error)
    } finally {
      watchdog?.end(client)
    }
  }

  async function transaction<T>(work: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await withClient(
          writing,
          (client) => attempt(client, options, () => work(connectionOf(client))),
          options,
        )
      } catch (error) {
        if (tries >= MOST_TRIES || !succeedsAgain(error)) throw error
      }
    }
  }

  const write: Database['write'] = (work, options) => guarded(() => transaction(work, options))
  return {
    engine: 'postgres',
    writesAtOnce: 2,
    read: (work) => guarded(() => withClient(reading, (client) => work(connectionOf(client)))),
    write,
    pools: () => [poolOf('read', reading), poolOf('write', writing)],
    notices: createNotices({ connection, database: { write }, onIdleError }),
    async close() {
      await Promise.all([reading.end(), writing.end()])
      watchdog?.stop()
    },
  }
}

function poolOf(name: Pool['name'], { options, totalCount, idleCount, waitingCount }: pg.Pool): Pool {
  return { name, most: options.max, inUse: totalCount - idleCount, waiting: waitingCount }
}

async function attempt<T>(
  client: pg.PoolClient,
  { single = false, lockWaitMs = single ? A_MOMENT_MS : LOCK_WAIT_MS }: WriteOptions,
  work: () => Promise<T>,
): Promise<T> {
  // Without a transaction, no lock is held during a further round trip.
  if (single && lockWaitMs === A_MOMENT_MS) {
    return work().catch((error: unknown) => {
      throw isBroken(error) ? uncertain(error) : error
    })
  }
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockWaitMs}`)
  let committing = false
  try {
    const result = await work()
    committing = true
    await client.query('COMMIT')
    return result
  } catch (error) {
    if (committing && isBroken(error)) throw uncertain(error)
    // A broken connection cannot roll back. The server does so when the connection ends.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

function uncertain(cause: unknown): CommitUncertain {
  return new CommitUncertain('the connection broke while committing', { cause })
}

function connectionTo(client: pg.PoolClient): Tx {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  return {
    db: drizzle(client, { casing: 'snake_case' }),
    t: tables,
    locks: { forUpdate: 'for update', skipLocked: 'for update skip locked' },
    async run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]> {
      const { rows } = await client.query<Row>({ name: nameOf(text), text, values: [...values] })
      return rows
    },
  }
}

/** Parses BIGINT as a number. Ours are all safe integers: micros, milliseconds or counts. */
function bigintsAsNumbers(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(oid, format)
}
