import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Pulse } from '../../kernel/process/clock.ts'
import {
  A_MOMENT_MS,
  CommitUncertain,
  type Database,
  type Tx,
  type Value,
  type WriteOptions,
} from '../database.ts'
import { ScopeGuard } from '../engine.ts'
import { tables } from '../schema/schema.ts'
import { readAddress } from './address.ts'
import { isBroken, mayBeRepeated } from './errors.ts'
import { Hosts } from './hosts.ts'
import { probe, Silence } from './liveness.ts'
import { PostgresNotices } from './notices.ts'
import { KEPT_ALIVE, Pools } from './pools.ts'
import type { SessionLimits } from './session.ts'

const MOST_TRIES = 4
/** No transaction waits longer for a lock. */
const LOCK_WAIT_MS = 5_000

export interface PostgresSettings {
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

/**
 * A store on PostgreSQL. Its parts are fields and not methods: to watch or to replace one of them, callers spread the
 * database.
 */
export class PostgresDatabase implements Database {
  readonly engine = 'postgres'
  readonly writesAtOnce = 2
  readonly notices: PostgresNotices
  readonly #pools: Pools
  readonly #silence: Silence | undefined
  readonly #guard = new ScopeGuard()
  readonly #known = new WeakMap<pg.PoolClient, Tx>()

  constructor({ url, connectWithinMs, sessionLimits, silentAfterMs, ...settings }: PostgresSettings) {
    const { hosts: addresses, ...asked } = readAddress(url)
    const wanted = { ...asked, limits: sessionLimits }
    const hosts = new Hosts(addresses, connectWithinMs)
    const { answerWithinMs, readOnly, pulse, onIdleError } = settings
    this.#pools = new Pools(hosts, { ...settings, wanted })
    // Of work that only reads nobody asks whether it can be done: it has no answer that is uncertain.
    if (answerWithinMs !== undefined && !readOnly)
      this.#silence = new Silence(
        (passed, givenUp) => probe(hosts, { connection: KEPT_ALIVE, wanted }, passed, givenUp),
        silentAfterMs,
        pulse,
      )
    this.notices = new PostgresNotices(hosts, KEPT_ALIVE, this, onIdleError)
  }

  readonly read: Database['read'] = (work) =>
    this.#guard.run(() => {
      const silence = this.#silence
      return silence ? silence.read(() => this.#readNow(work)) : this.#readNow(work)
    })

  readonly write: Database['write'] = (work, options) =>
    this.#guard.run(() => {
      const silence = this.#silence
      return silence && !options?.long
        ? silence.write(() => this.#transaction(work, options))
        : this.#transaction(work, options)
    })

  readonly refuseWhileSilent = () => this.#silence?.watch()

  readonly isSilent = () => this.#silence?.isSilent('write') ?? false

  readonly onSilence = (call: () => void) => this.#silence?.onSilence('write', call) ?? (() => {})

  readonly pools = () => this.#pools.pools()

  readonly close = async () => {
    await this.#pools.close()
    this.#silence?.stop()
  }

  #readNow<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#pools.use('read', (client) => work(this.#connectionOf(client)))
  }

  async #transaction<T>(work: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#pools.use(
          'write',
          (client) => attempt(client, options, () => work(this.#connectionOf(client))),
          options,
        )
      } catch (error) {
        if (tries >= MOST_TRIES || !mayBeRepeated(error)) throw error
      }
    }
  }

  #connectionOf(client: pg.PoolClient): Tx {
    const tx = this.#known.get(client) ?? connectionTo(client)
    this.#known.set(client, tx)
    return tx
  }
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
