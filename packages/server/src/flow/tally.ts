import type { Database, Tx } from '../store/database.ts'
import type { Parts } from './parts.ts'

/** How the rows of a tally are told apart, added up and stored. */
export interface Counting<Row> {
  /** Rows gather for so long: with each of them, all gateways would queue for a busy row. */
  everyMs: number
  /** Rows beyond these are not counted until those before are stored. */
  most?: number
  keyOf(row: Row): string
  /** Adds to the sum itself. */
  add(sum: Row, more: Row): void
  /** Adds the rows to what is stored. They are in order of their keys, so that two gateways cannot deadlock. */
  store(tx: Tx, rows: readonly Row[]): Promise<void>
}

/**
 * Adds up rows in memory and stores the sums together. These are statistics, not books: a process that is killed loses
 * the last seconds.
 */
export class Tally<Row> {
  readonly #database: Pick<Database, 'write'>
  readonly #clock: Parts['clock']
  readonly #onFault: (error: unknown) => void
  readonly #counting: Counting<Row>
  #rows = new Map<string, Row>()
  #storing: Promise<void> | undefined
  #cancel: (() => void) | undefined

  constructor(
    parts: Pick<Parts, 'clock'> & { database: Pick<Database, 'write'> },
    onFault: (error: unknown) => void,
    counting: Counting<Row>,
  ) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#onFault = onFault
    this.#counting = counting
  }

  /** Whether nothing is being stored. */
  idle(): boolean {
    return this.#storing === undefined
  }

  count(row: Row): void {
    this.#add(row)
    this.#storeLater()
  }

  /** Stores what was counted, or else keeps it for the next time. */
  async store(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    await this.#storing
    if (this.#rows.size === 0) return
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    this.#rows = new Map()
    this.#storing = this.#database
      .write((tx) => this.#counting.store(tx, rows), { patient: true })
      .catch((error) => {
        for (const row of rows) this.#add(row)
        this.#storeLater()
        this.#onFault(error)
      })
      .finally(() => {
        this.#storing = undefined
      })
    await this.#storing
  }

  /** Only while there is something to store, so that a clock that is moved by days has nothing to stop for. */
  #storeLater(): void {
    if (this.#rows.size > 0)
      this.#cancel ??= this.#clock.after(this.#counting.everyMs, () => void this.store())
  }

  #add(row: Row): void {
    const { keyOf, add, most = Number.POSITIVE_INFINITY } = this.#counting
    const key = keyOf(row)
    const sum = this.#rows.get(key)
    if (sum !== undefined) add(sum, row)
    else if (this.#rows.size < most) this.#rows.set(key, row)
  }
}
