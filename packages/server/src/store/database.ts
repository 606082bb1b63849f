import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Tables } from './schema/schema.ts'

/** A value that both engines accept as a parameter and return in a row. */
export type Value = string | number | null

/**
 * The handle for statements inside a `read` or `write`. `db` is PostgreSQL's query builder on both engines, for code off
 * the hot path. It has no `insert`, which would write `default` for the columns that a row leaves out, and SQLite does
 * not accept that: use `insertRows`. `run` is for the statements that every message needs: plain SQL, prepared once per
 * connection, with each `$n` used once and in order.
 */
export interface Tx {
  readonly db: Pick<PgDatabase<PgQueryResultHKT>, 'select' | 'update' | 'delete'>
  readonly t: Tables
  readonly locks: Locks
  run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]>
}

/** Row-lock clauses. Empty on SQLite, which has a single writer. */
export interface Locks {
  readonly forUpdate: 'for update' | ''
  readonly skipLocked: 'for update skip locked' | ''
}

/** One store on two engines. Callers need not know which. */
export interface Database extends ReadOnlyDatabase {
  /** How many concurrent writes are useful: the next one is prepared while one commits. */
  readonly writesAtOnce: number
  /** Runs `work` in one transaction. Await only statements of this `tx` inside: on SQLite all other writes wait. */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Refuses a second gateway on the store until it is closed, where only one can work on it. Commands go on. */
  keepForOneGateway?(): void
  /** How the connections are used, where there are several. */
  pools?(): readonly Pool[]
  /** Where several processes use the store. */
  readonly notices?: Notices
  /**
   * From now on work is refused while the store is known not to answer. Until then all work waits: a gateway that starts
   * has no caller to answer, so a refusal would only end it.
   */
  refuseWhileSilent?(): void
  /** Whether the store is known not to answer writes now. They are refused then; those under way go on waiting. */
  isSilent?(): boolean
  /** Calls once when that begins. The returned function takes it back. */
  onSilence?(call: () => void): () => void
}

/** Connections that are used in turn. */
export interface Pool {
  name: 'read' | 'write'
  most: number
  inUse: number
  /** Pieces of work that wait for a connection. */
  waiting: number
}

/** Short notes between the processes on a store, kept nowhere. */
export interface Notices {
  /** Tells the other processes that listen, if there are any, some words without blanks. */
  send(words: readonly string[]): Promise<void>
  /**
   * Hears the other processes until the returned function is called. `onGap` is called whenever notes may have been
   * missed: at the start, and when a lost connection is back.
   */
  listen(hear: (words: readonly string[]) => void, onGap: () => void): () => void
}

/** A store opened read-only. */
export interface ReadOnlyDatabase {
  readonly engine: 'sqlite' | 'postgres'
  /**
   * Each statement sees what was committed before it. `work` may run again when the engine rejected it, so it must only
   * read.
   */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Reads that may be a second old. Neither money nor the answer to a caller's own send may depend on them. */
export type Replica = Pick<ReadOnlyDatabase, 'read'>

export interface WriteOptions {
  /** No caller waits for this work, so it may wait briefly to share the next flush. */
  patient?: boolean
  /** How long to wait for each lock before failing with {@link RowLocked}. No effect on SQLite. */
  lockWaitMs?: number
  /** A statement of the work may take minutes. No effect on SQLite. */
  long?: boolean
  /** The work takes a while: what is short must not wait for it to share a flush. No effect on PostgreSQL. */
  alone?: boolean
  /** The work is one statement and needs no transaction. It waits {@link A_MOMENT_MS} for a lock by default. */
  single?: boolean
}

/** How long a batch waits for a lock before it skips the locked rows. */
export const A_MOMENT_MS = 200

/** The engine cannot do the work now; the caller may retry later. Nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The disk is full. Nothing was changed. */
export class StoreFull extends StoreUnavailable {}

/** A row stayed locked by another transaction for too long. Nothing was changed. */
export class RowLocked extends Error {
  override readonly name = 'RowLocked'
}

/** Whether all errors of some work are of one kind. */
export function isAll(error: unknown, kind: typeof StoreUnavailable | typeof RowLocked): boolean {
  if (error instanceof AggregateError) return error.errors.every((each) => isAll(each, kind))
  return error instanceof kind
}

/** The work would break a constraint, such as an overdrawn wallet or a duplicate key. Nothing was changed. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
}

/**
 * The connection was lost during the commit, so the work may or may not be committed. Do not repeat it unless it is
 * idempotent.
 */
export class CommitUncertain extends Error {
  override readonly name = 'CommitUncertain'
}
