import { createQuerySerializer, mergeHeaders } from 'openapi-fetch'
import { type Input, type OperationId, places } from '../operations.ts'
import type { CallOptions } from '../options.ts'

/** What a call sends: the same bytes with every attempt, even if the caller changes the object meanwhile. */
export type Outgoing = [
  url: string,
  init: RequestInit,
  /** The idempotency key of a send: the caller's, or one made once per call. */
  idempotencyKey: string | undefined,
]

/** Turns a call into a request. Throws a TypeError if the call is not valid. */
export function toOutgoing<Id extends OperationId>(
  operation: Id,
  { path, query, body }: Input<Id>,
  options: CallOptions,
  baseUrl: string,
  usual: Record<string, string>,
): Outgoing {
  const [method, place, isSend, own] = places[operation]
  // Empty, `.` and `..` are path steps, and would lead to another operation.
  if (/^\.{0,2}$/.test(`${path}`)) throw new TypeError(`Expected a ticket; got '${path}'.`)
  const headers = mergeHeaders(
    body ? { 'Content-Type': 'application/json' } : {},
    usual,
    own,
    // Overrides a key in the client's headers: with one key for all sends, only the first would go out.
    { 'idempotency-key': isSend ? crypto.randomUUID() : null },
    options.headers,
    { 'idempotency-key': options.idempotencyKey },
  )
  const idempotencyKey = headers.get('idempotency-key') ?? undefined
  // An empty key protects nothing. Other invalid keys are refused by the gateway.
  if (idempotencyKey === '') throw new TypeError('The idempotency key is empty.')
  const search = createQuerySerializer()(query)
  return [
    baseUrl + place.replace(/{\w+}/, encodeURIComponent(`${path}`)) + (search && `?${search}`),
    // Following a redirect would give the wallet's token to another address, and turn a send into a read.
    { method, headers, body: JSON.stringify(body), redirect: 'manual' },
    idempotencyKey,
  ]
}
