import type pg from 'pg'
import { A_MOMENT_MS } from '../database.ts'
import type { PostgresAddress } from './address.ts'

/** Settings of PostgreSQL, as it shows them. */
type Settings = Readonly<Record<string, string>>

/** Set by each session and left in it: a session that has it already has been lent to another connection. */
const TAKEN = 'wigwag.session'

const EVERY: Settings = {
  [TAKEN]: 'taken',
  default_transaction_isolation: 'read committed',
  TimeZone: 'UTC',
}

/** How long a session may wait and rest, in milliseconds. 0 is for ever. */
export interface SessionLimits {
  /** For a lock. */
  lockMs: number
  /** In a transaction. Ends the transactions, and so the locks, of a process that hangs. */
  restMs: number
}

const LIMITS: SessionLimits = { lockMs: A_MOMENT_MS, restMs: 10_000 }

export type SessionUse = 'to read' | 'to read alone' | 'to write'

const SETTINGS: Record<SessionUse, Settings> = {
  'to read': EVERY,
  'to read alone': { ...EVERY, default_transaction_read_only: 'on' },
  /**
   * Work that writes finds its rows by an index. A statement that is planned while a queue is empty would read the table
   * from end to end, and keep to that when the queue is long and full of dead rows.
   */
  'to write': { ...EVERY, enable_seqscan: 'off', jit: 'off' },
}

export const SHARED =
  'expected a session of its own, got one that other connections use too: a pooler in between lends it for one ' +
  'transaction at a time. Set pool_mode = session in PgBouncer, or connect to PostgreSQL directly'

/** The settings that a session is to have. */
export interface Wanted extends Pick<PostgresAddress, 'standbyWillDo' | 'settings'> {
  limits?: SessionLimits | undefined
}

/**
 * Sets up a new session. Uses a statement: `options` in the address would replace ours, and poolers refuse or drop them.
 * Rejects when the server can't serve us.
 */
export async function setUp(
  client: pg.ClientBase,
  use: SessionUse,
  { standbyWillDo, settings: own, limits: { lockMs, restMs } = LIMITS }: Wanted,
): Promise<void> {
  const limits = { lock_timeout: inUnits(lockMs), idle_in_transaction_session_timeout: inUnits(restMs) }
  const { rows } = await client.query<Setting>(SET, [JSON.stringify({ ...SETTINGS[use], ...limits })])
  for (const { name, wanted, before, after, standby } of rows) {
    if (name === TAKEN && before) throw new Error(SHARED)
    if (after !== wanted) throw new Error(`expected PostgreSQL to set ${name} to ${wanted}, got ${after}`)
    // A standby may be behind, so what it reads is not what was acknowledged. Its connections would outlast the mistake.
    if (standby && !(standbyWillDo && use === 'to read alone')) throw new Error('the server is a standby')
  }
  if (Object.keys(own).length > 0) await requireOwn(client, own)
}

/** A time as PostgreSQL writes it, with which what was set is compared. */
function inUnits(ms: number): string {
  if (ms === 0) return '0'
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`
}

/** Throws unless the settings in the address have arrived: a pooler may drop them, and `search_path` says where our tables are. */
async function requireOwn(client: pg.ClientBase, own: Settings): Promise<void> {
  const { rows } = await client.query<{ name: string }>(DROPPED, [JSON.stringify(own)])
  const [dropped] = rows
  if (dropped)
    throw new Error(
      `expected ${dropped.name} as options in the address set it, got a session without it: a pooler in between drops ` +
        'options (ignore_startup_parameters of PgBouncer). Set it for the role with ALTER ROLE, or connect to PostgreSQL directly',
    )
}

interface Setting {
  name: string
  wanted: string
  before: string | null
  after: string
  standby: boolean
}

const SET = `SELECT key AS name, value AS wanted, current_setting(key, true) AS before,
    set_config(key, value, false) AS after, pg_is_in_recovery() AS standby
  FROM json_each_text($1)`

/**
 * Settings from the address that have another value, which did not come from the client. Unknown settings are
 * not in `pg_settings`, so they are left out.
 */
const DROPPED = `SELECT name FROM json_each_text($1) AS own JOIN pg_settings ON lower(name) = key
  WHERE source NOT IN ('client', 'session') AND current_setting(name) <> value ORDER BY name`
