import * as z from 'zod'

const common = { id: z.string(), at: z.int() }

/** One entry in the journal of sends. */
export const entrySchema = z.discriminatedUnion('kind', [
  /** Written before a send leaves. A repeat with the same idempotency key has the same `id`. */
  z.object({
    kind: z.literal('attempt'),
    ...common,
    connection: z.string(),
    tool: z.string(),
    digest: z.string(),
    /** In whole micros; null when unknown. */
    cost: z.int().min(0).nullable(),
    key: z.string().optional(),
  }),
  /** Written when the result of one attempt is known. */
  z.object({
    kind: z.literal('end'),
    ...common,
    /** `failed` only when it is certain that nothing was sent. */
    outcome: z.enum(['sent', 'failed', 'uncertain']),
    ticket: z.string().optional(),
    key: z.string().optional(),
  }),
])

export type Entry = z.infer<typeof entrySchema>

export interface Step<Value> {
  /** The entries to add to the journal. */
  append: readonly Entry[]
  value: Value
}

/** Records sends, for the limits that count them. */
export interface Journal {
  /**
   * Runs `step` on the entries of the journal; no other call runs between its reading and its writing. When the
   * promise resolves, the new entries are durable; when it rejects, none was added.
   */
  exclusively<Value>(now: number, step: (entries: readonly Entry[]) => Step<Value>): Promise<Value>
}

const A_DAY = 86_400_000

/** The entries of sends made yesterday or later. No limit looks further back. */
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

/** A journal in memory. It ends with the process. */
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

type Attempt = Extract<Entry, { kind: 'attempt' }>

/** A send, put together from its entries. */
export interface RecordedSend extends Omit<Attempt, 'kind' | 'key'> {
  keys: Set<string>
  tickets: Set<string>
  attempts: number
  failures: number
}

/** The sends of a connection that count: all but those of which every attempt certainly failed. */
export function sendsOf(entries: readonly Entry[], connection: string): RecordedSend[] {
  const sends = new Map<string, RecordedSend>()
  for (const entry of entries) {
    const send = sends.get(entry.id)
    if (entry.kind === 'attempt') {
      if (send) send.attempts += 1
      else if (entry.connection === connection) sends.set(entry.id, begun(entry))
    } else if (send) {
      if (entry.outcome === 'failed') send.failures += 1
      if (entry.ticket) send.tickets.add(entry.ticket)
      if (entry.key) send.keys.add(entry.key)
    }
  }
  return [...sends.values()].filter((send) => send.failures < send.attempts)
}

/** How many messages a send resulted in: more than one when the gateway does not honour idempotency keys. */
export function copiesOf({ tickets }: RecordedSend): number {
  return Math.max(1, tickets.size)
}

function begun({ kind, key, ...attempt }: Attempt): RecordedSend {
  return {
    ...attempt,
    keys: new Set(key === undefined ? [] : [key]),
    tickets: new Set(),
    attempts: 1,
    failures: 0,
  }
}
