import * as z from 'zod'

const common = { id: z.string(), at: z.int() }

/** One line of the journal of sends. */
export const entrySchema = z.discriminatedUnion('kind', [
  /** Written before a send leaves. A repeat of a send, with its key, has the same `id`. */
  z.object({
    kind: z.literal('attempt'),
    ...common,
    connection: z.string(),
    tool: z.string(),
    digest: z.string(),
    /** In whole micros; null when the gateway did not say. */
    cost: z.int().min(0).nullable(),
    key: z.string().optional(),
  }),
  /** Written when it is known what became of one attempt. */
  z.object({
    kind: z.literal('end'),
    ...common,
    /** `failed` when it surely was not sent. */
    outcome: z.enum(['sent', 'failed', 'uncertain']),
    ticket: z.string().optional(),
    key: z.string().optional(),
  }),
])

export type Entry = z.infer<typeof entrySchema>

export interface Step<Value> {
  /** What is added to the journal. */
  append: readonly Entry[]
  value: Value
}

/** Remembers what was sent, for limits that count it. */
export interface Journal {
  /**
   * Decides on what the journal holds, in one step that no other send can come between. When it resolves, what was
   * added is kept for good; when it rejects, nothing was added.
   */
  exclusively<Value>(now: number, step: (entries: readonly Entry[]) => Step<Value>): Promise<Value>
}

const A_DAY = 86_400_000

/** The entries of sends that were made yesterday or later: no limit looks further back. */
export function recentOf(entries: readonly Entry[], now: number): Entry[] {
  const yesterday = (dayOf(now) - 1) * A_DAY
  const recent = new Set<string>()
  for (const { id, at } of entries) if (at >= yesterday) recent.add(id)
  return entries.filter(({ id }) => recent.has(id))
}

/** The day in UTC, as a number. */
export function dayOf(time: number): number {
  return Math.floor(time / A_DAY)
}

/** A journal that is forgotten with the process. */
export function createMemoryJournal(): Journal {
  let entries: Entry[] = []
  let day: number | undefined
  return {
    async exclusively(now, step) {
      if (day !== dayOf(now)) entries = recentOf(entries, now)
      day = dayOf(now)
      const { append, value } = step(entries)
      entries.push(...append)
      return value
    },
  }
}
