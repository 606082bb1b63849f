import { realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import Sqlite from 'better-sqlite3'
import { StoreUnavailable } from '../database.ts'
import { isLocked, translated } from './connection.ts'

/**
 * Keeps a second gateway from an SQLite file. SQLite's own lock on a small database beside it ends with the process,
 * however that ends. It is the kind that lets others read, so that the second gateway can name the first.
 */
export class GatewayLock {
  readonly #client: Sqlite.Database

  constructor(path: string) {
    this.#client = new Sqlite(`${realpathSync(path)}.gateway`, { timeout: 0 })
    try {
      this.#take()
      this.#sign()
      this.#take()
    } catch (error) {
      const holder = this.#holder()
      this.#client.close()
      throw isLocked(error) ? inUse(path, holder) : translated(error, 'written')
    }
  }

  release(): void {
    this.#client.close()
  }

  #take(): void {
    this.#client.exec('BEGIN IMMEDIATE')
  }

  /** Writes who has it. On a full disk the gateway starts all the same. */
  #sign(): void {
    // Another that is reading the name now.
    this.#client.pragma('busy_timeout = 1000')
    try {
      this.#client.exec('CREATE TABLE IF NOT EXISTS holder (process TEXT NOT NULL)')
      this.#client.exec('DELETE FROM holder')
      this.#client
        .prepare('INSERT INTO holder (process) VALUES (?)')
        .run(`process ${process.pid} on ${hostname()}`)
      this.#client.exec('COMMIT')
    } catch (error) {
      if (this.#client.inTransaction) this.#client.exec('ROLLBACK')
      if (!(error instanceof Sqlite.SqliteError && error.code === 'SQLITE_FULL')) throw error
    } finally {
      this.#client.pragma('busy_timeout = 0')
    }
  }

  #holder(): string {
    try {
      return String(this.#client.prepare('SELECT process FROM holder').pluck().get())
    } catch {
      return 'another process'
    }
  }
}

function inUse(path: string, holder: string): StoreUnavailable {
  return new StoreUnavailable(
    `a gateway works on ${path} already, ${holder}: stop it, or set WIGWAG_DATABASE_URL to another file or to PostgreSQL, which several gateways can share`,
  )
}
