import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { type Update, updateRows } from '../platform/database/rows.ts'
import type { KeyRow } from './keys.ts'

/** Remembers when keys were last used, to the minute. */
export interface KeyUses {
  /** Costs the caller nothing: it is written later, at most once a minute for each key. */
  note(key: Pick<KeyRow, 'id' | 'usedAt'>): void
  /** Whether nothing is being written. */
  idle(): boolean
  /** Drops what is not written yet. Resolves when the write under way is done. */
  stop(): Promise<void>
}

const EVERY_MS = 60_000
/** How long uses gather before they are written together. */
const GATHER_MS = 1_000
/** Another process may have noted the use meanwhile. */
const NOTED: Update<'id', 'usedAt'> = {
  by: ['id'],
  set: ['usedAt'],
  when: `keys.used_at <= v.column2 - ${EVERY_MS}`,
}

export interface KeyUsesOptions {
  database: Database
  clock: Clock
  onFault(error: unknown): void
}

export function createKeyUses({ database, clock, onFault }: KeyUsesOptions): KeyUses {
  const waiting = new Map<string, EpochMs>()
  let cancel: (() => void) | undefined
  let writing: Promise<void> | undefined
  let stopped = false

  async function write(): Promise<void> {
    // In one order everywhere, so that two processes never wait for each other.
    const uses = [...waiting].sort(([a], [b]) => (a < b ? -1 : 1))
    const rows = uses.map(([id, usedAt]) => ({ id, usedAt }))
    try {
      await database.write((tx) => updateRows(tx, tx.t.keys, rows, NOTED), { patient: true })
    } catch (error) {
      onFault(error)
    }
    for (const { id } of rows) waiting.delete(id)
    writing = undefined
    if (waiting.size > 0) writeSoon()
  }

  function writeSoon(): void {
    if (cancel || writing || stopped) return
    cancel = clock.after(GATHER_MS, () => {
      cancel = undefined
      writing = write()
    })
  }

  return {
    note({ id, usedAt }) {
      const now = clock.now()
      if (now - usedAt < EVERY_MS || waiting.has(id)) return
      waiting.set(id, now)
      writeSoon()
    },
    idle: () => writing === undefined,
    async stop() {
      stopped = true
      cancel?.()
      await writing
    },
  }
}
