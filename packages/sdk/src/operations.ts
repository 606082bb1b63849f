import type { operations, paths } from '@wigwag/contract/openapi'

/**
 * An operation of the gateway, by its ID in the OpenAPI document.
 * @example
 * import type { OperationId } from '@wigwag/sdk'
 * const operation: OperationId = 'sendSms'
 */
export type OperationId = keyof operations

type Method = 'get' | 'post' | 'delete'

/** The documented response of an operation. */
export type Output<Id extends OperationId> = operations[Id]['responses'][200]['content']['application/json']

/** The documented body of an operation. */
export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } }
}
  ? Content
  : undefined

/** The input of an operation. */
export interface Input<Id extends OperationId> {
  /** The value for the braces in the path. */
  path?: operations[Id]['parameters'] extends { path: infer Path } ? Path[keyof Path] : undefined
  query?: operations[Id]['parameters']['query']
  body?: Body<Id>
}

/** True for an operation that takes an idempotency key: a send, where a duplicate costs money. */
type Keyed<Id extends OperationId> =
  Exclude<operations[Id]['parameters']['header'], undefined> extends never ? false : true

/** The method and path of an operation in the document. */
type Place<Id extends OperationId> = {
  [Path in keyof paths]: {
    [Verb in Method]: [paths[Path][Verb], operations[Id]] extends [operations[Id], paths[Path][Verb]]
      ? readonly [Uppercase<Verb>, Path, Keyed<Id>, Readonly<Record<string, string | null>>?]
      : never
  }[Method]
}[keyof paths]

/**
 * Every operation's method, path, whether it takes an idempotency key, and any extra headers. A missing operation, or
 * one with the wrong method or path, does not compile.
 */
export const places = {
  sendSms: ['POST', '/v1/messages/sms', true],
  sendBulkSms: ['POST', '/v1/messages/sms/bulk/otm', true],
  // The specification wants no wallet token for the status, and a content type for the balance.
  getTransactionStatus: ['GET', '/v1/transactions/{ticket}/status', false, { 'X-Wallet': null }],
  getBalance: ['GET', '/v1/account/balance', false, { 'Content-Type': 'application/json' }],
  listLedger: ['GET', '/v1/account/ledger', false],
  searchMessages: ['GET', '/v1/messages', false],
  getMessage: ['GET', '/v1/messages/{id}', false],
  estimateCost: ['POST', '/v1/messages/sms/estimate', false],
  scheduleSms: ['POST', '/v1/messages/sms/scheduled', true],
  listScheduledSms: ['GET', '/v1/messages/sms/scheduled', false],
  cancelScheduledSms: ['DELETE', '/v1/messages/sms/scheduled/{ticket}', false],
  listSenderIds: ['GET', '/v1/account/sender-ids', false],
  requestSenderId: ['POST', '/v1/account/sender-ids', false],
  listKeys: ['GET', '/v1/account/keys', false],
  rotateKey: ['POST', '/v1/account/keys/{id}/rotate', false],
  getRates: ['GET', '/v1/rates/{country}', false],
  deliveryInsights: ['GET', '/v1/insights/delivery', false],
  listCallbacks: ['GET', '/v1/callbacks', false],
  replayCallback: ['POST', '/v1/callbacks/{id}/replay', false],
  replayFailedCallbacks: ['POST', '/v1/callbacks/replay', false],
} as const satisfies { readonly [Id in OperationId]: Place<Id> }
