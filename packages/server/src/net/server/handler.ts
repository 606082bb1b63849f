import type { operations as documented } from '@wigwag/contract/openapi'
import type { operations } from '@wigwag/contract/operations'
import type { Principal } from '../../kernel/principal.ts'

/** The names of the operations in the OpenAPI document. */
export type OperationId = keyof typeof operations

type Part<T, K extends PropertyKey> = T extends { [key in K]?: infer P } ? NonNullable<P> : never
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : undefined

/** A handler's input. Every part has been validated against the OpenAPI document. */
export interface Call<O extends OperationId> {
  principal: Principal
  path: Part<documented[O]['parameters'], 'path'>
  query: Part<documented[O]['parameters'], 'query'>
  body: Json<Part<documented[O], 'requestBody'>>
  /** The request's idempotency key, with a hash of the body's exact bytes. */
  idempotency: { key: string; fingerprint: string } | undefined
}

/** A handler's result: the documented body, or its JSON already rendered. */
export type Reply<O extends OperationId> =
  | { body: Json<documented[O]['responses'][200]> }
  | { json: string; replayed: boolean }

export type Handler<O extends OperationId> = (call: Call<O>) => Promise<Reply<O>>

/** One handler for every documented operation. A missing one does not compile. */
export type Handlers = { [O in OperationId]: Handler<O> }
