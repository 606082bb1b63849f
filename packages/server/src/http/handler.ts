import type { Principal } from '../gateway/principal.ts'
import type { operations as documented } from '../generated/openapi.ts'
import type { operations } from '../generated/operations.ts'

/** The operations of the document, by name. */
export type OperationId = keyof typeof operations

type Part<T, K extends PropertyKey> = T extends { [key in K]: infer P } ? P : undefined
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : undefined

/** What an operation's handler is given: every part validated against the document. */
export interface Call<O extends OperationId> {
  principal: Principal
  path: Part<documented[O]['parameters'], 'path'>
  query: NonNullable<Part<documented[O]['parameters'], 'query'>>
  body: Json<Part<documented[O], 'requestBody'>>
  /** The request's idempotency key, with a fingerprint of the very bytes of its body. */
  idempotency: { key: string; fingerprint: string } | undefined
}

/** What a handler answers: the documented body, or its JSON already rendered. */
export type Reply<O extends OperationId> =
  | { body: Json<documented[O]['responses'][200]> }
  | { json: string; replayed: boolean }

export type Handler<O extends OperationId> = (call: Call<O>) => Promise<Reply<O>>

/**
 * Operations that the document describes and this version does not serve yet. They answer `route_not_found`. An
 * operation that has neither a handler nor a place in this list does not compile.
 */
export const notServedYet = [
  'searchMessages',
  'getMessage',
  'estimateCost',
  'scheduleSms',
  'listScheduledSms',
  'cancelScheduledSms',
  'listSenderIds',
  'getRates',
  'deliveryInsights',
  'listCallbacks',
  'replayCallback',
  'replayFailedCallbacks',
] as const satisfies OperationId[]

export type ServedId = Exclude<OperationId, (typeof notServedYet)[number]>

/** One handler for every operation that is served, and no other. */
export type Handlers = { [O in ServedId]: Handler<O> }
