import type { operations, paths } from '@wigwag/contract/openapi'
import type { Operations } from './generated/models.ts'

/**
 * An operation of the gateway, by its ID in the OpenAPI document.
 * @example
 * import type { OperationId } from '@wigwag/sdk'
 * const operation: OperationId = 'sendSms'
 */
export type OperationId = keyof Operations

type Method = 'get' | 'post' | 'delete'

/** The documented response of an operation. */
export type Output<Id extends OperationId> = Operations[Id]['output']

/** The documented body of an operation. */
export type Body<Id extends OperationId> = Operations[Id]['body']

/** The input of an operation. */
export interface Input<Id extends OperationId> {
  /** The value for the braces in the path. */
  path?: Operations[Id]['path']
  query?: Operations[Id]['query']
  body?: Body<Id>
}

/** True for an operation that takes an idempotency key: a send, where a duplicate costs money. */
type Keyed<Id extends OperationId> =
  Exclude<operations[Id]['parameters']['header'], undefined> extends never ? false : true

/** A field that every answer of an operation has: what is without it was not written by a gateway. */
type Field<Answer> = Answer extends readonly (infer Item)[]
  ? `${keyof Item & string}[]`
  : keyof Answer & string

/** The method and path of an operation in the document. */
type Place<Id extends OperationId> = {
  [Path in keyof paths]: {
    [Verb in Method]: [paths[Path][Verb], operations[Id]] extends [operations[Id], paths[Path][Verb]]
      ? readonly [
          Uppercase<Verb>,
          Path,
          Keyed<Id>,
          Field<Output<Id>>,
          Readonly<Record<string, string | null>>?,
        ]
      : never
  }[Method]
}[keyof paths]

/**
 * Every operation's method, path, whether it takes an idempotency key, a field of its answer, and any extra headers. A missing operation, or
 * one with the wrong method or path, does not compile.
 */
export const places = {
  sendSms: ['POST', '/v1/messages/sms', true, 'Ticket'],
  sendBulkSms: ['POST', '/v1/messages/sms/bulk/otm', true, 'Ticket[]'],
  // The specification wants no wallet token for the status, and a content type for the balance.
  getTransactionStatus: ['GET', '/v1/transactions/{ticket}/status', false, 'Status', { 'X-Wallet': null }],
  getBalance: ['GET', '/v1/account/balance', false, 'balance', { 'Content-Type': 'application/json' }],
  listLedger: ['GET', '/v1/account/ledger', false, 'Items'],
  searchMessages: ['GET', '/v1/messages', false, 'Items'],
  getMessage: ['GET', '/v1/messages/{id}', false, 'Status'],
  estimateCost: ['POST', '/v1/messages/sms/estimate', false, 'Cost'],
  scheduleSms: ['POST', '/v1/messages/sms/scheduled', true, 'Ticket'],
  listScheduledSms: ['GET', '/v1/messages/sms/scheduled', false, 'Items'],
  cancelScheduledSms: ['DELETE', '/v1/messages/sms/scheduled/{ticket}', false, 'Status'],
  listSenderIds: ['GET', '/v1/account/sender-ids', false, 'Items'],
  requestSenderId: ['POST', '/v1/account/sender-ids', false, 'SenderId'],
  listKeys: ['GET', '/v1/account/keys', false, 'Items'],
  rotateKey: ['POST', '/v1/account/keys/{id}/rotate', false, 'Secret'],
  getRates: ['GET', '/v1/rates/{country}', false, 'Networks'],
  deliveryInsights: ['GET', '/v1/insights/delivery', false, 'Totals'],
  listCallbacks: ['GET', '/v1/callbacks', false, 'Items'],
  replayCallback: ['POST', '/v1/callbacks/{id}/replay', false, 'State'],
  replayFailedCallbacks: ['POST', '/v1/callbacks/replay', false, 'Replayed'],
} as const satisfies { readonly [Id in OperationId]: Place<Id> }

/** Whether a value can be the documented answer of an operation. */
export function isAnswerOf<Id extends OperationId>(operation: Id): (value: unknown) => value is Output<Id> {
  const [name = '', list] = places[operation][3].split(/(\[\])$/)
  const has = (item: unknown) => Object(item)[name] !== undefined && Object(item)[name] !== null
  return (value): value is Output<Id> => (list ? Array.isArray(value) && value.every(has) : has(value))
}
