import type { Parts } from '../flow/parts.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { MINUTE_MS } from '../kernel/time/spans.ts'
import { type Update, updateRows } from '../store/rows.ts'
import { Gathering } from './gathering.ts'
import type { KeyRow } from './keys.ts'

const EVERY_MS = MINUTE_MS
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
  readonly #keys: Gathering<Use>
  readonly #tools: Gathering<Use>
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
    const now = this.#clock.now()
    if (now - usedAt >= EVERY_MS) this.#keys.add(id, { id, at: now })
  }

  /** The same for a client's call of the tools. */
  noteTools(clientId: string): void {
    const now = this.#clock.now()
    if (now - (this.#lately.get(clientId) ?? 0) < EVERY_MS) return
    for (const [earlier, at] of this.#lately) if (now - at >= EVERY_MS) this.#lately.delete(earlier)
    this.#lately.set(clientId, now)
    this.#tools.add(clientId, { id: clientId, at: now })
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
