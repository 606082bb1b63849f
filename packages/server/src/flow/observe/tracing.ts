import type { EpochMs } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../store/database.ts'
import { inChunks, insertRows, placeholders } from '../../store/rows.ts'
import type { Tables } from '../../store/schema/schema.ts'
import { deleteSlice } from '../../store/slices.ts'
import { Batch, type Outcome } from '../batch.ts'

export type SpanKind = 'server' | 'client' | 'internal'
/** Never numbers, texts or credentials: spans leave the machine. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

/** A span that has not ended. */
export interface OpenSpan {
  /** The header of W3C Trace Context that makes others its children; undefined when it is not sampled. */
  readonly traceparent: string | undefined
  end(about: { name?: string; attributes: Attributes; failed: boolean; at?: number }): void
}

/** Makes spans and exports them. */
export interface Tracer {
  start(name: string, kind: SpanKind, options: { parent: string | undefined; at?: number }): OpenSpan
  /** Runs work with a span as the current one, for all that the work awaits. */
  within<T>(span: OpenSpan, work: () => T): T
  current(): OpenSpan | undefined
  now(): number
  /** Exports what waits, for as long as it may take. */
  stop(): Promise<void>
}

/** Something that was done for a message and is over. */
export interface Done {
  ticket: string
  name: string
  kind: SpanKind
  startedAt: number
  attributes: Attributes
  failed: boolean
}

/** Traces from a request over its messages to their callbacks. Not there when traces are off. */
export interface Tracing extends Tracer {
  /** Stores the current request for its messages, so that any process finds it. Call it before they are accepted. */
  keep(messages: readonly Pick<KeptTrace, 'messageId' | 'endsAt'>[]): Promise<void>
  /** The kept parents, by ticket. */
  parentsOf(tickets: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Makes a span beneath the request of a message, if that is traced. Never waits, and never fails. */
  record(done: Done): void
}

export interface TracingOptions {
  tracer: Tracer
  database: Database
  onFault(error: unknown): void
}

const MOST_TOGETHER = 500
const MOST_WAITING = 20_000

export function createTracing({ tracer, database, onFault }: TracingOptions): Tracing {
  const underWay = new Set<Promise<void>>()
  const parentsOf = (tickets: readonly string[]) => database.read((tx) => tracesOf(tx, tickets))
  const record = new Batch<Done & { endedAt: number }, void>({
    async run(items) {
      const parents = await parentsOf([...new Set(items.map(({ ticket }) => ticket))])
      return items.map(({ ticket, name, kind, startedAt, endedAt, ...about }): Outcome<void> => {
        const parent = parents.get(ticket)
        if (parent !== undefined)
          tracer.start(name, kind, { parent, at: startedAt }).end({ ...about, at: endedAt })
        return { value: undefined }
      })
    },
    weigh: () => 1,
    maxWeight: MOST_TOGETHER,
    maxWaiting: { weight: MOST_WAITING, error: () => new Error('too many spans wait for their parents') },
  })
  const keep = new Batch<readonly KeptTrace[], void>({
    async run(groups) {
      await database.write((tx) => keepTraces(tx, groups.flat()))
      return groups.map((): Outcome<void> => ({ value: undefined }))
    },
    weigh: (group) => group.length,
    maxWeight: MOST_TOGETHER,
    maxWaiting: { weight: 100_000, error: () => new Error('too many traces wait to be kept') },
  })
  return {
    ...tracer,
    async keep(messages) {
      const parent = tracer.current()?.traceparent
      if (parent === undefined) return
      // A failing trace must not fail a send.
      await keep.add(messages.map((message) => ({ ...message, parent }))).catch(onFault)
    },
    parentsOf: (tickets) =>
      parentsOf(tickets).catch((error: unknown) => {
        onFault(error)
        return new Map<string, string>()
      }),
    record(done) {
      const recording = record
        .add({ ...done, endedAt: tracer.now() })
        .catch(onFault)
        .finally(() => underWay.delete(recording))
      underWay.add(recording)
    },
    async stop() {
      await Promise.all(underWay)
      await tracer.stop()
    },
  }
}

export type KeptTrace = Tables['traces']['$inferSelect']

function keepTraces(tx: Tx, rows: readonly KeptTrace[]): Promise<void> {
  return insertRows(tx, tx.t.traces, rows)
}

/** Deletes a slice of those that nothing will be done for any more. */
export function pruneTraces(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'traces',
    key: 'message_id',
    where: 'ends_at < $1',
    values: [now],
    orderBy: 'ends_at',
  })
}

/** The kept parents of messages, by ticket. */
async function tracesOf({ run }: Tx, tickets: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string; parent: string }>(
      `SELECT message_id AS id, parent FROM traces WHERE message_id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const { id, parent } of rows) found.set(id, parent)
  })
  return found
}
