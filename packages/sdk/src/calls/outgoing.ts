import { createQuerySerializer, mergeHeaders } from 'openapi-fetch'
import { shown } from '../check.ts'
import type { FetchInit } from '../fetch.ts'
import { type Input, type OperationId, places } from '../operations.ts'
import { type CallOptions, withSender } from '../options.ts'

/**
 * The request of a call. Every attempt sends the same bytes, even if the caller changes the object meanwhile.
 */
export type Outgoing = [
  url: string,
  init: Omit<FetchInit, 'signal'>,
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
  from: string | undefined,
): Outgoing {
  const [method, place, isSend, , own] = places[operation]
  // Empty, `.` and `..` are path steps, and would lead to another operation.
  if (place.includes('{') && (typeof path !== 'string' || /^\.{0,2}$/.test(path)))
    throw new TypeError(
      `${operation}: expected the ${/{(\w+)}/.exec(place)?.[1]} as text; got ${shown(path)}.`,
    )
  const headers = merged(
    body && { 'Content-Type': 'application/json' },
    usual,
    own,
    // Overrides a key in the client's headers: with one key for all sends, only the first would go out.
    { 'idempotency-key': isSend ? crypto.randomUUID() : null },
    options.headers,
    { 'idempotency-key': options.idempotencyKey },
  )
  const idempotencyKey = headers.get('idempotency-key') ?? undefined
  // An empty key protects nothing. Other invalid keys are refused by the gateway.
  if (idempotencyKey === '')
    throw new TypeError('Expected an idempotencyKey with at least one character; got none.')
  const sent = body && timesAsText(isSend ? withSender(body, from) : body)
  const search = createQuerySerializer()(timesAsText({ ...query }))
  return [
    baseUrl + place.replace(/{\w+}/, encodeURIComponent(`${path}`)) + (search && `?${search}`),
    // Following a redirect would give the wallet's token to another address, and turn a send into a read.
    {
      method,
      headers: Object.fromEntries(headers),
      ...(sent && { body: JSON.stringify(sent) }),
      redirect: 'manual',
    },
    idempotencyKey,
  ]
}

/** The fields of a query or a body, with times as texts. */
function timesAsText(part: object): Record<string, unknown> {
  const fields = Object.entries(part).map(([name, value]) => {
    if (!(value instanceof Date)) return [name, value]
    if (Number.isNaN(value.getTime())) throw new TypeError(`Expected ${name} to be a time; got ${value}.`)
    return [name, value.toISOString()]
  })
  return Object.fromEntries(fields)
}

/** Merges headers; the later ones win. The error does not quote a value: it may be a secret. */
function merged(...lists: Parameters<typeof mergeHeaders>): Headers {
  try {
    return mergeHeaders(...lists)
  } catch {
    const pairs = lists.flatMap((list) => Object.entries(list ?? {}))
    const [name = ''] = pairs.find(([name, value]) => !isHeader(name, value)) ?? []
    const place = name === 'idempotency-key' ? 'the idempotencyKey' : `the header ${shown(name)}`
    throw new TypeError(`Expected ${place} to be one line of ASCII characters; got something else.`)
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]) !== undefined
  } catch {
    return false
  }
}
