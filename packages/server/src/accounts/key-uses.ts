import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type Update, updateRows } from '../platform/database/rows.ts'
import type { KeyRow } from './keys.ts'

/** Remembers when keys were last used, and when clients last called the tools for assistants, to the minute. */
export interface KeyUses {
  /** Costs the caller nothing: it is written later, at most once a minute for each key. */
  note(key: Pick<KeyRow, 'id' | 'usedAt'>): void
  /** The same for a client's call of the tools. */
  noteTools(clientId: string): void
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
const TOOLS_NOTED: Update<'id', 'toolsUsedAt'> = {
  by: ['id'],
  set: ['toolsUsedAt'],
  when: `clients.tools_used_at <= v.column2 - ${EVERY_MS}`,
}

export interface KeyUsesOptions {
  database: Database
  clock: Clock
  onFault(error: unknown): void
}

/** What was used, and when. */
interface Use {
  id: string
  at: EpochMs
}

export function createKeyUses(options: KeyUsesOptions): KeyUses {
  const { clock } = options
  const keys = gather(options, (tx, uses) => {
    const rows = uses.map(({ id, at }) => ({ id, usedAt: at }))
    return updateRows(tx, tx.t.keys, rows, NOTED)
  })
  const tools = gather(options, (tx, uses) => {
    const rows = uses.map(({ id, at }) => ({ id, toolsUsedAt: at }))
    return updateRows(tx, tx.t.clients, rows, TOOLS_NOTED)
  })
  /** The clients of the last minute, since no row is read for a call of the tools. */
  const lately = new Map<string, EpochMs>()

  return {
    note({ id, usedAt }) {
      if (clock.now() - usedAt >= EVERY_MS) keys.add(id)
    },
    noteTools(clientId) {
      const now = clock.now()
      if (now - (lately.get(clientId) ?? 0) < EVERY_MS) return
      for (const [earlier, at] of lately) if (now - at >= EVERY_MS) lately.delete(earlier)
      lately.set(clientId, now)
      tools.add(clientId)
    },
    idle: () => keys.idle() && tools.idle(),
    async stop() {
      await Promise.all([keys.stop(), tools.stop()])
    },
  }
}

/** Gathers uses for a moment, and writes them together. */
function gather(
  { database, clock, onFault }: KeyUsesOptions,
  store: (tx: Tx, uses: readonly Use[]) => Promise<void>,
) {
  const waiting = new Map<string, EpochMs>()
  let cancel: (() => void) | undefined
  let writing: Promise<void> | undefined
  let stopped = false

  async function write(): Promise<void> {
    // In one order everywhere, so that two processes never wait for each other.
    const uses = [...waiting].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => ({ id, at }))
    try {
      await database.write((tx) => store(tx, uses), { patient: true })
    } catch (error) {
      onFault(error)
    }
    for (const { id } of uses) waiting.delete(id)
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
    add(id: string): void {
      if (waiting.has(id)) return
      waiting.set(id, clock.now())
      writeSoon()
    },
    idle: () => writing === undefined,
    async stop(): Promise<void> {
      stopped = true
      cancel?.()
      await writing
    },
  }
}
