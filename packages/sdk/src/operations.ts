import type { operations, paths } from '@wigwag/contract/openapi'
import type { Operations } from './generated/models.ts'
import { misfit, type Shape } from './shape.ts'

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

/** The method and path of an operation in the document. */
type Place<Id extends OperationId> = {
  [Path in keyof paths]: {
    [Verb in Method]: [paths[Path][Verb], operations[Id]] extends [operations[Id], paths[Path][Verb]]
      ? readonly [
          Uppercase<Verb>,
          Path,
          Keyed<Id>,
          Shape<Output<Id>>,
          Readonly<Record<string, string | null>>?,
        ]
      : never
  }[Method]
}[keyof paths]

/** Without a ticket a send can't be followed; any status but two of them is taken for final. */
const sent = { Ticket: 't', Status: 's' }

/**
 * Every operation's method, path, whether it takes an idempotency key, the fields that decide in its answer, and any
 * extra headers. A missing operation, or one with the wrong method or path, does not compile.
 */
export const places = {
  sendSms: ['POST', '/v1/messages/sms', true, sent],
  sendBulkSms: ['POST', '/v1/messages/sms/bulk/otm', true, [sent]],
  // The specification wants no wallet token for the status, and a content type for the balance.
  getTransactionStatus: [
    'GET',
    '/v1/transactions/{ticket}/status',
    false,
    { Status: 's' },
    { 'X-Wallet': null },
  ],
  getBalance: ['GET', '/v1/account/balance', false, { balance: 0 }, { 'Content-Type': 'application/json' }],
  listLedger: ['GET', '/v1/account/ledger', false, { Items: [{}] }],
  searchMessages: ['GET', '/v1/messages', false, { Items: [{ MessageId: 'm', Status: 's' }] }],
  getMessage: ['GET', '/v1/messages/{id}', false, { Status: 's' }],
  estimateCost: ['POST', '/v1/messages/sms/estimate', false, { Cost: 0 }],
  scheduleSms: ['POST', '/v1/messages/sms/scheduled', true, sent],
  listScheduledSms: ['GET', '/v1/messages/sms/scheduled', false, { Items: [sent] }],
  cancelScheduledSms: ['DELETE', '/v1/messages/sms/scheduled/{ticket}', false, { Status: 's' }],
  listSenderIds: ['GET', '/v1/account/sender-ids', false, { Items: [{}] }],
  requestSenderId: ['POST', '/v1/account/sender-ids', false, { SenderId: 's' }],
  listKeys: ['GET', '/v1/account/keys', false, { Items: [{}] }],
  rotateKey: ['POST', '/v1/account/keys/{id}/rotate', false, { Secret: 's' }],
  getRates: ['GET', '/v1/rates/{country}', false, { Networks: [{}] }],
  deliveryInsights: ['GET', '/v1/insights/delivery', false, { Totals: {} }],
  listCallbacks: ['GET', '/v1/callbacks', false, { Items: [{ Id: 'i' }] }],
  replayCallback: ['POST', '/v1/callbacks/{id}/replay', false, { Id: 'i' }],
  replayFailedCallbacks: ['POST', '/v1/callbacks/replay', false, { Replayed: 0 }],
} as const satisfies { readonly [Id in OperationId]: Place<Id> }

/** What keeps a value from being the documented answer of an operation. A bulk's has a result for each recipient. */
export function whyNoAnswer(
  operation: OperationId,
  { body }: Input<OperationId>,
  value: unknown,
): string | undefined {
  const why = misfit(places[operation][3], value, 'answer')
  if (why || !Array.isArray(value) || !Array.isArray(Object(body).Recipients)) return why
  const { length } = Object(body).Recipients
  return value.length === length
    ? undefined
    : `answer.length is ${value.length}, and ${length} were asked for`
}
