import { createQuerySerializer, mergeHeaders } from 'openapi-fetch'
import { type Input, type OperationId, places } from './operations.ts'
import type { CallOptions } from './options.ts'

/** What a call sends: the same bytes with every attempt, whatever the caller does to the object meanwhile. */
export type Outgoing = [
  url: string,
  init: RequestInit,
  /** The key of a send: the caller's, or a new one. It is made once per call. */
  idempotencyKey: string | undefined,
]

/** Writes a call as a request. What can't be written is a mistake in the call. */
export function toOutgoing<Id extends OperationId>(
  operation: Id,
  { path, query, body }: Input<Id>,
  options: CallOptions,
  baseUrl: string,
  usual: Record<string, string>,
): Outgoing {
  const [method, place, isSend, own] = places[operation]
  // In an address these are steps, which lead to another operation.
  if (/^\.{0,2}$/.test(`${path}`)) throw new TypeError(`Expected a ticket; got '${path}'.`)
  const headers = mergeHeaders(
    body ? { 'Content-Type': 'application/json' } : {},
    usual,
    own,
    // A key for all sends would let out only the first.
    { 'idempotency-key': isSend ? crypto.randomUUID() : null },
    options.headers,
    { 'idempotency-key': options.idempotencyKey },
  )
  const idempotencyKey = headers.get('idempotency-key') ?? undefined
  // An empty key protects nothing. What else can't be one is for the gateway to refuse.
  if (idempotencyKey === '') throw new TypeError('The idempotency key is empty.')
  const search = createQuerySerializer()(query)
  return [
    baseUrl + place.replace(/{\w+}/, encodeURIComponent(`${path}`)) + (search && `?${search}`),
    // A redirect would hand the wallet's token to another address, and turn a send into a read.
    { method, headers, body: JSON.stringify(body), redirect: 'manual' },
    idempotencyKey,
  ]
}
