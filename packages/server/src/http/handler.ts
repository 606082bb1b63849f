import type { Principal } from '../gateway/principal.ts'
import type { operations as documented } from '../generated/openapi.ts'
import type { operations } from '../generated/operations.ts'

/** The operations of the document, by name. */
export type OperationId = keyof typeof operations

type Part<T, K extends PropertyKey> = T extends { [key in K]?: infer P } ? NonNullable<P> : never
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : undefined

/** What an operation's handler is given: every part validated against the document. */
export interface Call<O extends OperationId> {
  principal: Principal
  path: Part<documented[O]['parameters'], 'path'>
  query: Part<documented[O]['parameters'], 'query'>
  body: Json<Part<documented[O], 'requestBody'>>
  /** The request's idempotency key, with a fingerprint of the very bytes of its body. */
  idempotency: { key: string; fingerprint: string } | undefined
}

/** What a handler answers: the documented body, or its JSON already rendered. */
export type Reply<O extends OperationId> =
  | { body: Json<documented[O]['responses'][200]> }
  | { json: string; replayed: boolean }

export type Handler<O extends OperationId> = (call: Call<O>) => Promise<Reply<O>>

/** One handler for every operation of the document: one without does not compile. */
export type Handlers = { [O in OperationId]: Handler<O> }
