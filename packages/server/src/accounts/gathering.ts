import type { Parts } from '../flow/parts.ts'
import { SECOND_MS } from '../kernel/time/spans.ts'
import type { Tx } from '../store/database.ts'

/** How long notes gather before they are written together. */
const GATHER_MS = SECOND_MS

/** Gathers what is to be noted for a moment, one of each id, and writes it together. */
export class Gathering<T> {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #onFault: (error: unknown) => void
  readonly #store: (tx: Tx, all: readonly T[]) => Promise<void>
  readonly #waiting = new Map<string, T>()
  #cancel: (() => void) | undefined
  #writing: Promise<void> | undefined
  #stopped = false

  constructor(
    parts: Pick<Parts, 'database' | 'clock'>,
    onFault: (error: unknown) => void,
    store: (tx: Tx, all: readonly T[]) => Promise<void>,
  ) {
    this.#parts = parts
    this.#onFault = onFault
    this.#store = store
  }

  /** The first of an id counts until it is written. */
  add(id: string, one: T): void {
    if (this.#waiting.has(id)) return
    this.#waiting.set(id, one)
    this.#writeSoon()
  }

  idle(): boolean {
    return this.#writing === undefined
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    await this.#writing
  }

  #writeSoon(): void {
    if (this.#cancel || this.#writing || this.#stopped) return
    this.#cancel = this.#parts.clock.after(GATHER_MS, () => {
      this.#cancel = undefined
      this.#writing = this.#write()
    })
  }

  async #write(): Promise<void> {
    // In one order everywhere, so that two processes never wait for each other.
    const all = [...this.#waiting].sort(([a], [b]) => (a < b ? -1 : 1))
    const values = all.map(([, one]) => one)
    try {
      await this.#parts.database.write((tx) => this.#store(tx, values), { patient: true })
    } catch (error) {
      this.#onFault(error)
    }
    for (const [id] of all) this.#waiting.delete(id)
    this.#writing = undefined
    if (this.#waiting.size > 0) this.#writeSoon()
  }
}
