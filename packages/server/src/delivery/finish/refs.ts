import { foldedRef } from '../../kernel/carrier-reference.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Database, Tx, Value } from '../../store/database.ts'
import { bySize, inChunks, placeholders } from '../../store/rows.ts'
import { SLICE, type Step } from '../../store/slices.ts'
import type { CarrierVerdict, PartRef, Receipt } from '../carrier.ts'

/**
 * The references under which carriers know the parts of messages. A receipt often comes before its reference is stored;
 * it is then kept as a row without a message until the reference arrives.
 */

/** The references of one message that a carrier has taken. */
export interface NewRefs {
  carrier: string
  ticket: Ticket
  parts: number
  refs: readonly PartRef[]
}

/** A reference whose message is known. */
export interface KnownRef {
  carrier: string
  ref: string
  ticket: Ticket
  parts: number
}

/** A verdict on a part of a message. */
export interface PartVerdict extends KnownRef {
  verdict: CarrierVerdict
  reason: string | undefined
}

/** A receipt that came earlier than this before its reference belongs to another message: carriers reuse references. */
export const EARLY_MS = 10 * MINUTE_MS

type Row = { carrier: string; ref: string; ticket: Ticket; parts: number }
type VerdictRow = Row & { verdict: CarrierVerdict | null; reason: string | null }

export interface StoredRefs {
  /** The verdicts that came before their references. */
  early: PartVerdict[]
  /** Whether a reference was not stored before for this message. */
  isNew(carrier: string, ref: string): boolean
}

/** Stores references. */
export async function storeRefs(tx: Tx, taken: readonly NewRefs[], now: EpochMs): Promise<StoredRefs> {
  // A carrier that gives one reference twice means the later message by it.
  const rows = new Map<string, Value[]>()
  for (const { carrier, ticket, parts, refs } of taken)
    for (const { part, ref } of refs)
      rows.set(`${carrier} ${ref}`, [carrier, ref, ticket, part, parts, now, foldIfOther(ref)])
  const early: PartVerdict[] = []
  const fresh = new Set<string>()
  await inChunks(inOrder(rows.values()), async (chunk) => {
    const stored = await tx.run<VerdictRow>(storeRows(chunk.length), [...chunk.flat(), now - EARLY_MS])
    for (const { carrier, ref } of stored) fresh.add(`${carrier} ${ref}`)
    early.push(...stored.flatMap(withVerdict))
  })
  const again = [...rows].flatMap(([key, [carrier, ref]]) => (fresh.has(key) ? [] : [{ carrier, ref }]))
  for (const [carrier, known] of Map.groupBy(again, (one) => String(one.carrier)))
    early.push(
      ...(await findVerdicts(
        tx,
        carrier,
        known.map(({ ref }) => String(ref)),
      )),
    )
  return { early, isNew: (carrier, ref) => fresh.has(`${carrier} ${ref}`) }
}

/** Null where a reference is written as it is folded, which most are: the index of the others stays small. */
function foldIfOther(ref: string): string | null {
  const folded = foldedRef(ref)
  return folded === ref ? null : folded
}

/** Returns those that are new. */
const storeRows = bySize(
  (rows) => `INSERT INTO carrier_refs AS r (carrier, ref, message_id, part, parts, at, folded)
  VALUES ${placeholders(rows, 7)}
  ON CONFLICT (carrier, ref) DO UPDATE SET
    verdict = CASE WHEN r.message_id = excluded.message_id
      OR (r.message_id IS NULL AND r.at >= $${rows * 7 + 1}) THEN r.verdict END,
    message_id = excluded.message_id, part = excluded.part, parts = excluded.parts, at = excluded.at,
    folded = excluded.folded, recipient = NULL, keep_until = NULL
  WHERE r.message_id IS DISTINCT FROM excluded.message_id OR r.part <> excluded.part
  RETURNING carrier, ref, message_id AS ticket, parts, verdict, reason`,
)

/** Finds the messages of receipts, by reference. */
export async function findRefs(
  { run }: Tx,
  carrier: string,
  refs: readonly string[],
): Promise<Map<string, KnownRef>> {
  const found = new Map<string, KnownRef>()
  await inChunks(refs, async (chunk) => {
    const rows = await run<Row>(findRows(chunk.length), [carrier, ...chunk])
    for (const row of rows) found.set(row.ref, row)
  })
  return found
}

const findRows = bySize(
  (rows) => `SELECT carrier, ref, message_id AS ticket, parts FROM carrier_refs
  WHERE carrier = $1 AND message_id IS NOT NULL AND ref IN ${placeholders(1, rows, undefined, 1)}`,
)

/** The verdicts noted on references, for messages that are not final all the same. */
export async function findVerdicts(
  { run }: Tx,
  carrier: string,
  refs: readonly string[],
): Promise<PartVerdict[]> {
  const found: PartVerdict[] = []
  await inChunks(refs, async (chunk) => {
    const rows = await run<VerdictRow>(
      `SELECT carrier, ref, message_id AS ticket, parts, verdict, reason FROM carrier_refs
       WHERE carrier = $1 AND message_id IS NOT NULL AND verdict IS NOT NULL
         AND ref IN ${placeholders(1, chunk.length, undefined, 1)}`,
      [carrier, ...chunk],
    )
    found.push(...rows.flatMap(withVerdict))
  })
  return found
}

/** Notes verdicts on references, known or not yet. Returns those whose message is known. */
export async function noteVerdicts(
  { run }: Tx,
  carrier: string,
  receipts: readonly Receipt[],
  now: EpochMs,
): Promise<KnownRef[]> {
  const first = new Map<string, Value[]>()
  for (const { ref, verdict, reason, recipient } of receipts)
    if (!first.has(ref)) first.set(ref, [carrier, ref, verdict, reason ?? null, now, recipient ?? null])
  const known: KnownRef[] = []
  await inChunks(inOrder(first.values()), async (chunk) => {
    const rows = await run<Row & { ticket: Ticket | null }>(noteRows(chunk.length), chunk.flat())
    for (const row of rows) if (row.ticket !== null) known.push(row)
  })
  return known
}

/** An old receipt without a message must not keep its verdict when the carrier uses its reference again. */
const OLD_ORPHAN = `r.message_id IS NULL AND r.at < excluded.at - ${EARLY_MS}`

const noteRows = bySize(
  (rows) => `INSERT INTO carrier_refs AS r (carrier, ref, verdict, reason, at, recipient, part, parts)
  SELECT v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, 0, 1
  FROM (VALUES ${placeholders(rows, 6, ['TEXT', 'TEXT', 'TEXT', 'TEXT', 'BIGINT', 'TEXT'])}) AS v WHERE TRUE
  ON CONFLICT (carrier, ref) DO UPDATE SET
    verdict = CASE WHEN ${OLD_ORPHAN} THEN excluded.verdict ELSE coalesce(r.verdict, excluded.verdict) END,
    reason = CASE WHEN ${OLD_ORPHAN} THEN excluded.reason ELSE coalesce(r.reason, excluded.reason) END,
    recipient = CASE WHEN r.message_id IS NULL THEN excluded.recipient END,
    at = CASE WHEN ${OLD_ORPHAN} THEN excluded.at ELSE r.at END
  RETURNING carrier, ref, message_id AS ticket, parts`,
)

/** A part of a long message, with the verdict on it if there is one. */
export interface LongPart {
  ticket: Ticket
  carrier: string
  part: number
  parts: number
  ref: string
  verdict: CarrierVerdict | null
  reason: string | null
}

/** The stored parts of long messages, in order. */
export async function partsOf({ run }: Tx, tickets: readonly Ticket[]): Promise<Map<Ticket, LongPart[]>> {
  const found = new Map<Ticket, LongPart[]>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<LongPart>(
      `SELECT message_id AS ticket, carrier, part, parts, ref, verdict, reason FROM carrier_refs
       WHERE parts > 1 AND message_id IN ${placeholders(1, chunk.length)} ORDER BY message_id, part`,
      chunk,
    )
    for (const row of rows) found.set(row.ticket, [...(found.get(row.ticket) ?? []), row])
  })
  return found
}

/** Removes the references of messages that are final. */
export async function forgetRefs({ run }: Tx, refs: readonly KnownRef[]): Promise<void> {
  const [long, short] = [refs.filter(({ parts }) => parts > 1), refs.filter(({ parts }) => parts === 1)]
  await inChunks(short, async (chunk) => {
    await run(
      forgetRows(chunk.length),
      chunk.flatMap(({ carrier, ref }) => [carrier, ref]),
    )
  })
  await inChunks([...new Set(long.map(({ ticket }) => ticket))], async (chunk) => {
    await run(
      `DELETE FROM carrier_refs WHERE parts > 1 AND message_id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
  })
}

const forgetRows = bySize(
  (rows) => `DELETE FROM carrier_refs WHERE (carrier, ref) IN (VALUES ${placeholders(rows, 2)})`,
)

/** Deletes a slice of receipts that never found their message. */
export async function pruneOrphans({ run }: Tx, before: EpochMs): Promise<{ pruned: number; more: boolean }> {
  const deleted = await run(
    `DELETE FROM carrier_refs WHERE (carrier, ref) IN (
       SELECT carrier, ref FROM carrier_refs
       WHERE message_id IS NULL AND at < $1 AND coalesce(keep_until, 0) < $2 LIMIT ${SLICE})
     RETURNING 1 AS one`,
    [before, before],
  )
  return { pruned: deleted.length, more: deleted.length === SLICE }
}

/** Deletes references to messages that have ended without a receipt. Walks through all of them, slice by slice. */
export function pruneRefs(database: Database, before: EpochMs): Step {
  let after: [carrier: string, ref: string] = ['', '']
  return async function step() {
    const rows = await database.read(({ run }) =>
      run<{ carrier: string; ref: string; old: number }>(
        `SELECT carrier, ref, CASE WHEN at < $1 AND message_id IS NOT NULL THEN 1 ELSE 0 END AS old FROM carrier_refs
         WHERE (carrier, ref) > ($2, $3) ORDER BY carrier, ref LIMIT ${SLICE}`,
        [before, ...after],
      ),
    )
    const old = rows.filter((row) => row.old === 1)
    if (old.length > 0) await database.write((tx) => deleteEnded(tx, old), { patient: true })
    const last = rows.at(-1)
    if (last) after = [last.carrier, last.ref]
    return rows.length === SLICE
  }
}

async function deleteEnded({ run }: Tx, refs: readonly { carrier: string; ref: string }[]): Promise<void> {
  await inChunks(refs, async (chunk) => {
    await run(
      `${forgetRows(chunk.length)}
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = carrier_refs.message_id)`,
      chunk.flatMap(({ carrier, ref }) => [carrier, ref]),
    )
  })
}

function withVerdict({ verdict, reason, ...known }: VerdictRow): PartVerdict[] {
  return verdict === null ? [] : [{ ...known, verdict, reason: reason ?? undefined }]
}

/** All code locks references in this order. */
function inOrder(rows: Iterable<Value[]>): Value[][] {
  return [...rows].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1))
}
