import { type Micros, micros } from '@wigwag/contract'
import * as z from 'zod'
import {
  type Attempt,
  type DayUse,
  dayOf,
  type EarlierSend,
  type Journal,
  KEY_LIFE,
  type Known,
  TWO_MINUTES,
  yesterdayOf,
} from './journal.ts'

const common = { id: z.string(), at: z.int() }

/** One entry in a journal that is a list of them. */
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
  /** The entries to add. */
  append: readonly Entry[]
  value: Value
}

/**
 * Runs `step` on the entries; no other call runs between its reading and its writing. When the promise resolves, the
 * new entries are durable; when it rejects, none was added.
 */
export type Exclusively = <Value>(
  now: number,
  step: (entries: readonly Entry[]) => Step<Value>,
) => Promise<Value>

/** A journal that is a list of entries. */
export function journalOfEntries(exclusively: Exclusively): Journal {
  return {
    attempt: (attempt, decide) =>
      exclusively(attempt.at, (entries) => {
        const id = decide(knownOf(entries, attempt))
        const { connection, tool, at, digest, cost, key } = attempt
        return {
          append: [{ kind: 'attempt', id, at, connection, tool, digest, cost, ...(key && { key }) }],
          value: id,
        }
      }),
    known: (attempt) =>
      exclusively(attempt.at, (entries) => ({ append: [], value: knownOf(entries, attempt) })),
    end: ({ id, at, outcome, ticket, key }) =>
      exclusively(at, () => ({
        append: [{ kind: 'end', id, at, outcome, ...(ticket && { ticket }), ...(key && { key }) }],
        value: undefined,
      })),
    sent: (connection, now, most) =>
      exclusively(now, (entries) => ({
        append: [],
        value: sendsOf(entries, connection)
          .flatMap(({ tickets }) => [...tickets])
          .reverse()
          .slice(0, most),
      })),
  }
}

/** A journal in memory. It ends with the process. */
export function createMemoryJournal(): Journal {
  let entries: Entry[] = []
  let day: number | undefined
  return journalOfEntries(async (now, step) => {
    if (day !== dayOf(now)) entries = recentOf(entries, now)
    day = dayOf(now)
    const { append, value } = step(entries)
    entries.push(...append)
    return value
  })
}

/** The entries of sends made yesterday or later. */
export function recentOf(entries: readonly Entry[], now: number): Entry[] {
  const yesterday = yesterdayOf(now)
  const recent = new Set<string>()
  for (const { id, at } of entries) if (at >= yesterday) recent.add(id)
  return entries.filter(({ id }) => recent.has(id))
}

/** A send, put together from its entries. */
interface RecordedSend {
  id: string
  at: number
  digest: string
  cost: Micros | null
  keys: Set<string>
  tickets: Set<string>
  attempts: number
  failures: number
}

/** The sends of a connection that count: all but those of which every attempt certainly failed. */
function sendsOf(entries: readonly Entry[], connection: string): RecordedSend[] {
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

function begun({ id, at, digest, cost, key }: Extract<Entry, { kind: 'attempt' }>): RecordedSend {
  return {
    id,
    at,
    digest,
    attempts: 1,
    failures: 0,
    cost: cost === null ? null : micros(cost),
    keys: new Set(key === undefined ? [] : [key]),
    tickets: new Set(),
  }
}

export function knownOf(entries: readonly Entry[], { connection, at, digest, key }: Attempt): Known {
  const sends = sendsOf(entries, connection)
  const twin = sends.findLast((send) => send.digest === digest && send.at > at - TWO_MINUTES)
  return {
    keyed: sends
      .filter((send) => key !== undefined && send.keys.has(key) && send.at > at - KEY_LIFE)
      .map(shown),
    copied: sends.some((send) => copiesOf(send) > 1),
    twin: twin && shown(twin),
    day: useOf(sends.filter((send) => dayOf(send.at) === dayOf(at))),
  }
}

function shown({ id, digest, tickets: [ticket] }: RecordedSend): EarlierSend {
  return { id, digest, ticket }
}

function useOf(sends: readonly RecordedSend[]): DayUse {
  return {
    messages: sends.reduce((sum, send) => sum + copiesOf(send), 0),
    spent: micros(sends.reduce((sum, send) => sum + (send.cost ?? 0) * copiesOf(send), 0)),
    unpriced: sends.some(({ cost }) => cost === null),
  }
}

/** How many messages a send resulted in: more than one when the gateway does not honour idempotency keys. */
function copiesOf({ tickets }: RecordedSend): number {
  return Math.max(1, tickets.size)
}
