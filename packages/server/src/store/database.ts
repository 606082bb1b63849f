import type { SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Tables } from './schema.ts'

/** A value that both engines take as a parameter and give back in a row. */
export type Value = string | number | null

/**
 * What work is done with. `db` is for queries that are written once in a while; `run` is for the statements that
 * every message pays for: plain text, prepared once per connection, with each `$n` used once and in order.
 */
export interface Connection {
  readonly db: Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete'>
  readonly t: Tables
  readonly locks: Locks
  run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]>
}

/** Row locks, empty on SQLite, which has one writer. */
export interface Locks {
  readonly forUpdate: 'for update' | ''
  readonly skipLocked: 'for update skip locked' | ''
  readonly forUpdateSql: SQL
}

/** One store, two engines. Engine differences end here. */
export interface Database extends ReadOnlyDatabase {
  /** How many writes are worth having under way at a time: while one is committed, the next can be prepared. */
  readonly writesAtOnce: number
  /** All or nothing. Await only statements of this connection inside: on SQLite everyone else waits. */
  write<T>(work: (connection: Connection) => Promise<T>, options?: WriteOptions): Promise<T>
}

/** A store that is opened to look at it: nothing in it can be changed. */
export interface ReadOnlyDatabase {
  readonly engine: 'sqlite' | 'postgres'
  /**
   * Each statement sees what was committed before it. The work is done again when the engine could not take it, so
   * it does nothing but read.
   */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface WriteOptions {
  /** No caller waits for the work, so it may share the flush of what comes next. */
  patient?: boolean
  /** How long it waits for any one lock before it fails with {@link RowLocked}. SQLite has one writer, and no row locks. */
  lockWaitMs?: number
  /** The work is one statement, which commits by itself; it waits for {@link A_MOMENT_MS} unless it is told otherwise. */
  single?: boolean
}

/** How long a batch waits for a lock before it goes on without what is locked. */
export const A_MOMENT_MS = 200

/** The engine cannot take the work now; a caller may come back later. Nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** A row that others hold stayed locked for too long. Nothing was changed. */
export class RowLocked extends Error {
  override readonly name = 'RowLocked'
}

/** The rows would have broken a rule of the tables: a wallet overdrawn, a key used twice. Nothing was changed. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
}

/**
 * Nobody knows whether the work was committed: the engine was lost while it did. Doing it again could do it twice,
 * unless the work itself can tell.
 */
export class CommitUncertain extends Error {
  override readonly name = 'CommitUncertain'
}
