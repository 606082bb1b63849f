import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import {
  A_MOMENT_MS,
  CommitUncertain,
  type Database,
  type Pool,
  RowLocked,
  RuleBroken,
  StoreFull,
  StoreUnavailable,
  type Tx,
  type Value,
  type WriteOptions,
} from './database.ts'
import { createScopeGuard } from './one-scope.ts'
import { createLookout } from './postgres-lookout.ts'
import { createNotices } from './postgres-notices.ts'
import { tables } from './schema.ts'

/** Deadlock and serialization conflict: the same work succeeds when it is repeated. */
const AGAIN = new Set(['40P01', '40001'])
/** A server that takes no writes: a standby, or one that was made read-only. */
const READ_ONLY = '25006'
const UNAVAILABLE = new RegExp(`^(08|${READ_ONLY}|53|57P|58)`)
const DISK_FULL = '53100'
const LOCK_TIMEOUT = '55P03'
const MOST_TRIES = 4
const INTEGRITY = /^23/
/** No transaction waits longer for a lock. */
const LOCK_WAIT_MS = 5_000
/** A server that vanished closes nothing: after this long, the system asks it for a sign of life. */
const QUIET_MS = 10_000
/** The idle timeout ends the transactions, and so the locks, of a process that hangs. */
const SESSION = `-c lock_timeout=${A_MOMENT_MS} -c idle_in_transaction_session_timeout=10000 -c timezone=UTC`
const READS_ALONE = '-c default_transaction_read_only=on'
/**
 * Work that writes finds its rows by an index. A statement that is planned while a queue is empty would read the table from
 * end to end, and keep to that when the queue is long and full of dead rows.
 */
const BY_INDEX = '-c enable_seqscan=off -c jit=off'

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
  const lookout = answerWithinMs === undefined ? undefined : createLookout({ answerWithinMs, giveUp })
  function openPool(max: number, settings: string): pg.Pool {
    const pool = new pg.Pool({
      ...connection,
      max,
      idleTimeoutMillis: 60_000,
      options: `${SESSION} ${settings}`,
      types: { getTypeParser: bigintsAsNumbers },
      verify: readOnly ? undefined : refuseStandby,
    })
    pool.on('error', onIdleError)
    return pool.on('connect', (client) => {
      client.on('error', () => broken.add(client))
      lookout?.meet(client)
    })
  }
  function giveUp(client: pg.PoolClient): void {
    broken.add(client)
    // Fails what it was asked, and needs no answer for that.
    if (client instanceof pg.Client) void client.end()
  }
  // Reserved, so that writes waiting for locks cannot use up the readers' connections, and the reverse.
  const readers = Math.floor(connections / 3)
  const reading = openPool(readers, readOnly ? READS_ALONE : '')
  const writing = openPool(connections - readers, readOnly ? READS_ALONE : BY_INDEX)
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
      if (!long) lookout?.begin(client)
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // The next connection may lead to a server that takes writes, where an address was moved to one.
      client.release(broken.has(client) || isBroken(error) || codeOf(error) === READ_ONLY)
      if (broken.has(client) && !(error instanceof CommitUncertain))
        throw new StoreUnavailable('the connection to PostgreSQL broke', { cause: error })
      throw translated(error)
    } finally {
      lookout?.end(client)
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
        if (tries >= MOST_TRIES || !AGAIN.has(codeOf(error))) throw error
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
      lookout?.stop()
    },
  }
}

/** A standby may be behind, so what it reads is not what was acknowledged. Its connections would outlast the mistake. */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  client
    .query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    .then(({ rows }) => done(rows[0]?.standby ? new Error('the server is a standby') : undefined), done)
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

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  return 'cause' in error ? codeOf(error.cause) : ''
}

function isBroken(error: unknown): boolean {
  const code = codeOf(error)
  // The codes of the operating system begin with E, and those of PostgreSQL never do.
  return code === '' || /^(08|57P|E)/.test(code)
}

function translated(error: unknown): unknown {
  if (error instanceof CommitUncertain) return error
  const code = codeOf(error)
  if (INTEGRITY.test(code)) return new RuleBroken(String(error), { cause: error })
  if (code === LOCK_TIMEOUT) return new RowLocked('a row stayed locked', { cause: error })
  if (code === DISK_FULL) return new StoreFull('the disk of PostgreSQL is full', { cause: error })
  if (UNAVAILABLE.test(code) || code.startsWith('E')) {
    return new StoreUnavailable(`PostgreSQL cannot take the work: ${code}`, { cause: error })
  }
  return error
}
