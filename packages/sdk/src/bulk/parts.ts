import type { Render } from '@wigwag/contract/content'
import { recipientDigits } from '@wigwag/contract/recipient'
import { shown } from '../check.ts'
import type { Recipient } from '../generated/models.ts'
import { isRecord } from '../shape.ts'
import type { Dedupe, ManyMessage, Outcome } from './bulk-types.ts'

/** The gateway's default limits on one request. */
export const mostRecipients = 10_000
const mostBytes = 2 ** 21

/** A recipient: its index in the list, the caller's row, and what is sent of it. */
export interface Entry<Row> {
  index: number
  recipient: Row
  sent: Recipient
  /** Its own text, where `Content` has fields. */
  text?: string
  /** The outcome of a recipient that is not sent to. */
  outcome?: Outcome
}

/** Consecutive recipients, which the checkpoint counts as one. */
export interface Part<Row> {
  number: number
  entries: Entry<Row>[]
}

/** Reads a list, and decides which recipients are not sent to. */
export async function* read<Row extends Recipient>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  render: Render | undefined,
  dedupe: Dedupe | undefined,
): AsyncGenerator<Entry<Row>, void> {
  if (!isRecord(rows) || !(Symbol.iterator in rows || Symbol.asyncIterator in rows))
    throw new TypeError(`recipients: expected a list, or an iterable of objects; got ${shown(rows)}.`)
  const seen = new Map<string, number>()
  let index = 0
  for await (const recipient of rows) {
    // A copy, since a reader may reuse one object for every row; only with the fields that the gateway needs.
    const { To, Reference }: Recipient = Object(recipient)
    const entry: Entry<Row> = {
      index: index++,
      recipient,
      sent: Reference === undefined ? { To } : { To, Reference },
    }
    if (!isRecord(recipient)) {
      const why = `To: expected a recipient, an object with To; got ${shown(recipient)}.`
      yield { ...entry, outcome: refused(new TypeError(why), 'invalid_recipient', pointerTo(entry.index)) }
      continue
    }
    const text = render?.(recipient)
    if (typeof text === 'string') entry.text = text
    else if (text) entry.outcome = refused(text, 'missing_field', pointerTo(entry.index))
    if (dedupe) {
      const number = typeof To === 'string' ? recipientDigits(To) : To
      const first = seen.get(number)
      if (first === undefined) seen.set(number, entry.index)
      else if (dedupe === 'skip') entry.outcome = { status: 'skipped' }
      else {
        const why = `To: expected each number once, since dedupe is 'refuse'; got that of index ${first} again.`
        entry.outcome = refused(new TypeError(why), 'invalid_recipient', pointerTo(entry.index, '/To'))
      }
    }
    yield entry
  }
}

/** Where a row of the list, or a field of it, is. */
export function pointerTo(index: number, field = ''): string {
  return `/Recipients/${index}${field}`
}

function refused(error: TypeError, code: string, pointer: string): Outcome {
  // A report is often stored as JSON, which has of an error only what is enumerable.
  Object.defineProperty(error, 'message', { enumerable: true })
  return { status: 'refused', error, field: { pointer, code, detail: error.message } }
}

/** Cuts a list into parts while reading it. The same list is always cut in the same places. */
export async function* cut<Row>(
  message: ManyMessage,
  list: AsyncIterable<Entry<Row>>,
  partSize: number,
): AsyncGenerator<Part<Row>, void> {
  const empty = bytesOf({ ...message, Recipients: [] })
  let number = 0
  let entries: Entry<Row>[] = []
  let bytes = empty
  for await (const entry of list) {
    const more = bytesOf(entry.sent) + 1 + (entry.text ? bytesOf(entry.text) : 0)
    if (entries.length && !(entries.length < partSize && bytes + more <= mostBytes)) {
      yield { number: number++, entries }
      entries = []
      bytes = empty
    }
    entries.push(entry)
    bytes += more
  }
  if (entries.length) yield { number, entries }
}

/** The recipients that are sent to, by text, in the order in which the texts first appear. */
export function byText<Row>(entries: Entry<Row>[]): Entry<Row>[][] {
  const groups = new Map<string | undefined, Entry<Row>[]>()
  for (const entry of entries) {
    if (entry.outcome) continue
    const group = groups.get(entry.text)
    if (group) group.push(entry)
    else groups.set(entry.text, [entry])
  }
  return [...groups.values()]
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
