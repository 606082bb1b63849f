import type { Parts } from '../flow/parts.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../kernel/time/spans.ts'
import type { Tx } from '../store/database.ts'
import { type Update, updateRows } from '../store/rows.ts'
import type { KeyRow } from './keys.ts'

const EVERY_MS = MINUTE_MS
/** How long uses gather before they are written together. */
const GATHER_MS = SECOND_MS
/** Another process may have noted the use meanwhile. */
const NOTED: Update<'id', 'usedAt'> = {
  by: ['id'],
  set: ['usedAt'],
  when: `keys.used_at <= v.column2 - ${EVERY_MS}`,
}
const TOOLS_NOTED: Update<'id', 'toolsUsedAt'> = {
  by: ['id'],
  set: ['toolsUsedAt'],
  when: `clients.tools_used_at <= v.column2 - ${EVERY_MS}`,
}

/** Stores when keys were last used, and when clients last called the tools for assistants, to the minute. */
export class KeyUses {
  readonly #clock: Clock
  readonly #keys: Gathering
  readonly #tools: Gathering
  /** The clients that were noted in the last minute: a call of the tools does not read when its client was. */
  readonly #lately = new Map<string, EpochMs>()

  constructor(parts: Pick<Parts, 'database' | 'clock'>, onFault: (error: unknown) => void) {
    this.#clock = parts.clock
    this.#keys = new Gathering(parts, onFault, (tx, uses) => {
      const rows = uses.map(({ id, at }) => ({ id, usedAt: at }))
      return updateRows(tx, tx.t.keys, rows, NOTED)
    })
    this.#tools = new Gathering(parts, onFault, (tx, uses) => {
      const rows = uses.map(({ id, at }) => ({ id, toolsUsedAt: at }))
      return updateRows(tx, tx.t.clients, rows, TOOLS_NOTED)
    })
  }

  /** Costs the caller nothing: it is written later, at most once a minute for each key. */
  note({ id, usedAt }: Pick<KeyRow, 'id' | 'usedAt'>): void {
    if (this.#clock.now() - usedAt >= EVERY_MS) this.#keys.add(id)
  }

  /** The same for a client's call of the tools. */
  noteTools(clientId: string): void {
    const now = this.#clock.now()
    if (now - (this.#lately.get(clientId) ?? 0) < EVERY_MS) return
    for (const [earlier, at] of this.#lately) if (now - at >= EVERY_MS) this.#lately.delete(earlier)
    this.#lately.set(clientId, now)
    this.#tools.add(clientId)
  }

  /** Whether nothing is being written. */
  idle(): boolean {
    return this.#keys.idle() && this.#tools.idle()
  }

  /** Drops what is not written yet. Resolves when the write under way is done. */
  async stop(): Promise<void> {
    await Promise.all([this.#keys.stop(), this.#tools.stop()])
  }
}

/** The id of a key or client, and when it was used. */
interface Use {
  id: string
  at: EpochMs
}

/** Gathers uses for a moment, and writes them together. */
class Gathering {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #onFault: (error: unknown) => void
  readonly #store: (tx: Tx, uses: readonly Use[]) => Promise<void>
  readonly #waiting = new Map<string, EpochMs>()
  #cancel: (() => void) | undefined
  #writing: Promise<void> | undefined
  #stopped = false

  constructor(
    parts: Pick<Parts, 'database' | 'clock'>,
    onFault: (error: unknown) => void,
    store: (tx: Tx, uses: readonly Use[]) => Promise<void>,
  ) {
    this.#parts = parts
    this.#onFault = onFault
    this.#store = store
  }

  add(id: string): void {
    if (this.#waiting.has(id)) return
    this.#waiting.set(id, this.#parts.clock.now())
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
    const uses = [...this.#waiting].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => ({ id, at }))
    try {
      await this.#parts.database.write((tx) => this.#store(tx, uses), { patient: true })
    } catch (error) {
      this.#onFault(error)
    }
    for (const { id } of uses) this.#waiting.delete(id)
    this.#writing = undefined
    if (this.#waiting.size > 0) this.#writeSoon()
  }
}
