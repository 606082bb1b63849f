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
import { readAddress } from './address.ts'
import { isBroken, isSpent, succeedsAgain, translated } from './errors.ts'
import { createHosts } from './hosts.ts'
import { createNotices } from './notices.ts'
import { createProbe } from './probe.ts'
import type { Pulse } from './pulse.ts'
import { type SessionLimits, type SessionUse, setUp } from './session.ts'
import { createSilence } from './silence.ts'
import { createWatchdog } from './watchdog.ts'

const MOST_TRIES = 4
/** No transaction waits longer for a lock. */
const LOCK_WAIT_MS = 5_000
/** A server that vanished closes nothing: after this long, the system asks it for a sign of life. */
const QUIET_MS = 10_000
/** How long work may wait until it has a connection. */
const CONNECTED_WITHIN_MS = 10_000

export interface PostgresOptions {
  /** May name several hosts. */
  url: string
  /** At least 3. */
  connections: number
  /** Makes the server reject every change. */
  readOnly?: boolean
  /** A connection on which the server has not answered a statement by then is given up. Default: never. */
  answerWithinMs?: number | undefined
  /** With `answerWithinMs`: how long work may go without an answer until more of it is refused. Default: 0.8 s. */
  silentAfterMs?: number | undefined
  /** With `answerWithinMs`: when missing answers are looked for. Default: in real time. */
  pulse?: Pulse | undefined
  /** How long a host may take to let a client in. Default: two seconds where there are others, else ten. */
  connectWithinMs?: number | undefined
  /** How long sessions wait for a lock, and rest in a transaction. Default: a moment, and ten seconds. */
  sessionLimits?: SessionLimits | undefined
  /** Called with errors on idle connections. The pool replaces those connections. */
  onIdleError(error: Error): void
}

/** Opens a pool of connections to PostgreSQL. */
export function openPostgres({
  url,
  connections,
  readOnly,
  answerWithinMs,
  silentAfterMs,
  pulse,
  connectWithinMs,
  sessionLimits,
  onIdleError,
}: PostgresOptions): Database {
  const { hosts: addresses, ...asked } = readAddress(url)
  const wanted = { ...asked, limits: sessionLimits }
  const hosts = createHosts(addresses, connectWithinMs)
  const connection = { keepAlive: true, keepAliveInitialDelayMillis: QUIET_MS }
  // The pool handles errors of idle connections only: an unhandled one on a connection in use would end the process.
  const broken = new WeakSet<pg.PoolClient>()
  const watchdog =
    answerWithinMs === undefined ? undefined : createWatchdog({ answerWithinMs, pulse, giveUp })
  const open = new Set<pg.PoolClient>()
  /**
   * Begins again when the server vanished. What is connected from before would each be found out by work that waits in
   * vain for an answer, so it is not used again.
   */
  let current = 0
  const era = new WeakMap<pg.PoolClient, number>()
  function openPool(max: number, use: SessionUse): pg.Pool {
    const pool = new pg.Pool({
      ...connection,
      Client: hosts.Client,
      connectionTimeoutMillis: CONNECTED_WITHIN_MS,
      max,
      idleTimeoutMillis: 60_000,
      types: { getTypeParser: bigintsAsNumbers },
      verify: (client, done) => void verify(client, use).then(() => done(), done),
    })
    pool.on('error', onIdleError).on('remove', (client) => open.delete(client))
    return pool.on('connect', (client) => {
      open.add(client)
      client.on('error', () => broken.add(client))
      watchdog?.meet(client)
    })
  }
  async function verify(client: pg.PoolClient, use: SessionUse): Promise<void> {
    const late = setTimeout(() => end(client), hosts.connectWithinMs)
    try {
      await setUp(client, use, wanted)
      hosts.worked(client)
      era.set(client, current)
    } catch (error) {
      hosts.failed(client)
      throw error
    } finally {
      clearTimeout(late)
    }
  }
  /** Fails what a connection was asked, and needs no answer for that. */
  function end(client: pg.PoolClient): void {
    broken.add(client)
    if (client instanceof pg.Client) client.connection.stream.destroy()
  }
  function giveUp(client: pg.PoolClient): void {
    end(client)
    current++
  }
  // A server that lost its part answers no more, or too late to count.
  hosts.onMoved((isElsewhere) => {
    for (const client of open) if (isElsewhere(client)) end(client)
  })
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

  /** A connection that is there, or else to the first host that serves us. */
  async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
    const deadline = performance.now() + CONNECTED_WITHIN_MS
    for (let tries = 1; ; tries++) {
      try {
        return await connectNow(pool)
      } catch (error) {
        if (tries < hosts.count && performance.now() < deadline) continue
        throw new StoreUnavailable('no connection to PostgreSQL', { cause: error })
      }
    }
  }

  async function connectNow(pool: pg.Pool): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect()
      if (era.get(client) === current) return client
      end(client)
      client.release(true)
    }
  }

  async function withClient<T>(
    pool: pg.Pool,
    work: (client: pg.PoolClient) => Promise<T>,
    { long = false }: WriteOptions = {},
  ): Promise<T> {
    const client = await connect(pool)
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

  // Of work that only reads nobody asks whether it can be done: it has no answer that is uncertain.
  const silence =
    answerWithinMs === undefined || readOnly
      ? undefined
      : createSilence({ probe: createProbe(hosts, { connection, wanted }), silentAfterMs, pulse })
  const readNow: Database['read'] = (work) => withClient(reading, (client) => work(connectionOf(client)))
  const read: Database['read'] = (work) =>
    guarded(() => (silence ? silence.read(() => readNow(work)) : readNow(work)))
  const write: Database['write'] = (work, options) =>
    guarded(() =>
      silence && !options?.long
        ? silence.write(() => transaction(work, options))
        : transaction(work, options),
    )
  return {
    engine: 'postgres',
    writesAtOnce: 2,
    read,
    write,
    isSilent: () => silence?.isSilent('write') ?? false,
    onSilence: (call) => silence?.onSilence('write', call) ?? (() => {}),
    pools: () => [poolOf('read', reading), poolOf('write', writing)],
    notices: createNotices({ hosts, connection, database: { write }, onIdleError }),
    async close() {
      await Promise.all([reading.end(), writing.end()])
      watchdog?.stop()
      silence?.stop()
    },
  }
}

function poolOf(name: Pool['name'], { options, totalCount, idleCount, waitingCount }: pg.Pool): Pool {
  return { name, most: options.max, inUse: totalCount - idleCount, waiting: waitingCount }
}

async function attempt<T>(
  client: pg.PoolClient,
  { single = false, lockWaitMs }: WriteOptions,
  work: () => Promise<T>,
): Promise<T> {
  // Without a transaction, no lock is held during a further round trip.
  if (single && (lockWaitMs === undefined || lockWaitMs === A_MOMENT_MS)) {
    return work().catch((error: unknown) => {
      throw isBroken(error) ? uncertain(error) : error
    })
  }
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockWaitMs ?? LOCK_WAIT_MS}`)
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
