import { closeSync, fdatasync, openSync } from 'node:fs'
import Sqlite from 'better-sqlite3'

/**
 * Brings commits to the disk while the thread goes on: SQLite's own sync, within `COMMIT`, would make it wait. The first
 * commit is left to SQLite, which then syncs the folder of a new log as well.
 *
 * SQLite locks the file and the log's index, never the log, so closing the log here frees no lock of its.
 */
export class Log {
  readonly #path: string
  readonly #writer: Sqlite.Database
  #file: number | undefined
  #running: Promise<void> | undefined

  /** `writer` is the connection that commits. */
  constructor(path: string, writer: Sqlite.Database) {
    this.#path = `${path}-wal`
    this.#writer = writer
  }

  /** Resolves when what was committed is on the disk. Call it after each commit, before the next one begins. */
  async flush(): Promise<void> {
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, 'r+')
      this.#writer.pragma('synchronous = NORMAL')
      return
    }
    this.#running = sync(this.#file)
    try {
      await this.#running
    } finally {
      this.#running = undefined
    }
  }

  /** Resolves when all that could be read is on the disk, so that no one is told of what a power cut takes back. */
  async settled(): Promise<void> {
    await this.#running
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

function sync(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      if (error) reject(new Sqlite.SqliteError(`disk I/O error: ${error.message}`, 'SQLITE_IOERR_FSYNC'))
      else resolve()
    })
  })
}
