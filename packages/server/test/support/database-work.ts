import type { Database } from '../../src/store/database.ts'

/** Counts what a gateway asks of its database and has no answer to yet. */
export class DatabaseWork {
  underWay = 0
  #onRest = () => {}

  /** The same database, of which what is asked is counted. `check` throws where nothing may be asked any more. */
  of(database: Database, check = () => {}): Database {
    const during = async <T>(work: () => Promise<T>): Promise<T> => {
      check()
      this.underWay++
      try {
        return await work()
      } finally {
        this.underWay--
        if (this.underWay === 0) this.#onRest()
      }
    }
    return {
      ...database,
      read: (work) => during(() => database.read(work)),
      write: (work, options) => during(() => database.write(work, options)),
    }
  }

  async rest(): Promise<void> {
    if (this.underWay > 0)
      await new Promise<void>((resolve) => {
        this.#onRest = resolve
      })
  }
}
