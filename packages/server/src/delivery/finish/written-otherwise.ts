import { foldedRef, foldsOf } from '../../kernel/carrier-reference.ts'
import type { Ticket } from '../../kernel/ids.ts'
import { dialled, plainNumber } from '../../kernel/phone/phone.ts'
import type { Tx } from '../../store/database.ts'
import { bySize, inChunks, placeholders } from '../../store/rows.ts'
import type { Carrier, Receipt } from '../carrier.ts'
import type { KnownRef } from './refs.ts'

interface Row {
  ref: string
  ticket: Ticket
  parts: number
  recipient: string
}

/**
 * Finds the messages of receipts whose references are written otherwise than in the carrier's answers: in capitals or
 * not, with zeros before them or without, in the other number system. Ids may differ by that alone, so it counts only
 * where exactly one message fits and went to the number that the receipt names. Where the operator says that the ids are
 * numbers, capitals and zeros can't tell two apart, and the number is not needed.
 */
export async function findWrittenOtherwise(
  tx: Tx,
  { name, hasNumericIds = false }: Pick<Carrier, 'name' | 'hasNumericIds'>,
  receipts: readonly Receipt[],
): Promise<Map<Receipt, KnownRef>> {
  const folds = new Map(
    receipts
      .filter(({ recipient }) => hasNumericIds || recipient !== undefined)
      .map((receipt) => [receipt, hasNumericIds ? [foldedRef(receipt.ref)] : foldsOf(receipt.ref)]),
  )
  const rows = await rowsOf(tx, name, [...new Set([...folds.values()].flat())])
  const found = new Map<Receipt, KnownRef>()
  for (const [receipt, meant] of folds) {
    const { recipient } = receipt
    const fitting = meant
      .flatMap((fold) => rows.get(fold) ?? [])
      .filter((row) => hasNumericIds || (recipient !== undefined && isSameNumber(row.recipient, recipient)))
    const [only] = fitting
    if (!only || fitting.length > 1) continue
    const { ref, ticket, parts } = only
    found.set(receipt, { carrier: name, ref, ticket, parts })
  }
  return found
}

/** Whether two texts name one phone, as people or carriers write numbers with their country code. */
function isSameNumber(one: string, other: string): boolean {
  return dialled(plainNumber(one)) === dialled(plainNumber(other))
}

/** The carrier's references by their folds. */
async function rowsOf({ run }: Tx, carrier: string, folds: readonly string[]): Promise<Map<string, Row[]>> {
  const rows: Row[] = []
  await inChunks(folds, async (chunk) => {
    const half = [carrier, ...chunk]
    rows.push(...(await run<Row>(foldedRows(chunk.length), [...half, ...half])))
  })
  return Map.groupBy(rows, ({ ref }) => foldedRef(ref))
}

const foldedRows = bySize((folds) => {
  const rows = (
    taken: number,
    condition: string,
  ) => `SELECT r.ref, r.message_id AS ticket, r.parts, m.recipient
    FROM carrier_refs r JOIN messages m ON m.id = r.message_id
    WHERE r.carrier = $${taken + 1} AND ${condition} IN ${placeholders(1, folds, undefined, taken + 1)}`
  return `${rows(0, 'r.folded')} UNION ALL ${rows(folds + 1, 'r.folded IS NULL AND r.ref')}`
})
