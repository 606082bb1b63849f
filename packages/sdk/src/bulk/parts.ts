import type { Recipient } from '../types.ts'
import type { ManyMessage } from './bulk-types.ts'

/** The gateway's default limits on one request. */
const mostRecipients = 10_000
const mostBytes = 2 ** 21

/** A recipient: its index in the list, the caller's row, and what is sent of it. */
export interface Entry<Row> {
  index: number
  recipient: Row
  sent: Recipient
}

/** The recipients of one request. */
export interface Part<Row> {
  number: number
  entries: Entry<Row>[]
}

/** Cuts a list into parts while reading it. The same list is always cut in the same places. */
export async function* cut<Row extends Recipient>(
  message: ManyMessage,
  rows: Iterable<Row> | AsyncIterable<Row>,
  partSize = mostRecipients,
): AsyncGenerator<Part<Row>, void> {
  const most = Math.min(partSize, mostRecipients)
  const empty = bytesOf({ ...message, Recipients: [] })
  let number = 0
  let entries: Entry<Row>[] = []
  let bytes = empty
  let index = 0
  for await (const recipient of rows) {
    // A copy, since a reader may reuse one object for every row; only with the fields that the gateway needs.
    const { To, Reference } = recipient
    const sent = Reference === undefined ? { To } : { To, Reference }
    const more = bytesOf(sent) + 1
    if (entries.length && !(entries.length < most && bytes + more <= mostBytes)) {
      yield { number: number++, entries }
      entries = []
      bytes = empty
    }
    entries.push({ index: index++, recipient, sent })
    bytes += more
  }
  if (entries.length) yield { number, entries }
}

/** A 32-bit hash, to notice that a part has changed. */
export function digestOf(value: unknown): number {
  const text = JSON.stringify(value)
  let digest = 0
  for (let at = 0; at < text.length; at++) digest = (digest * 31 + text.charCodeAt(at)) | 0
  return digest
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
