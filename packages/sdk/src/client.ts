import type { AtOnce } from './at-once.ts'
import { sendToMany } from './bulk/bulk.ts'
import type { ManyMessage, ManyOptions, ManyReport } from './bulk/bulk-types.ts'
import type { RowsFill } from './bulk/content-rows.ts'
import type { Call } from './calls/call.ts'
import { createTransport } from './calls/transport.ts'
import type {
  Balance,
  BulkSmsMessage,
  Callback,
  CallbackFilter,
  CallbackPage,
  DeliveryInsights,
  Estimate,
  EstimateRequest,
  InsightsQuery,
  KeyList,
  LedgerFilter,
  LedgerPage,
  Message,
  MessageFilter,
  MessagePage,
  Rates,
  Recipient,
  ReplayRequest,
  ReplayResult,
  RotatedKey,
  RotateKeyRequest,
  ScheduledFilter,
  ScheduledPage,
  ScheduleRequest,
  ScheduleResult,
  SenderId,
  SenderIdList,
  SenderIdRequest,
  SendResult,
  SmsMessage,
  Transaction,
} from './generated/models.ts'
import type { Body, Input, OperationId, Output } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { type AnyPage, type Pages, pagesOf } from './paging.ts'
import { type WaitOptions, waitForFinal } from './wait.ts'

type MethodName<Id extends OperationId> = Id extends 'deliveryInsights' ? 'getDeliveryInsights' : Id

/** Has a method for every operation of the OpenAPI document: a missing one does not compile. */
type EveryOperation = {
  [Id in OperationId as MethodName<Id>]: (...input: never[]) => Call<Output<Id>> | Pages<Output<Id> & AnyPage>
}

/** The operations that answer with a list. */
type Listing = {
  [Id in OperationId]: Output<Id> extends AnyPage ? Id : never
}[OperationId]

/**
 * A client of the gateway, with one method per operation.
 * @example
 * import { type Client, createClient } from '@wigwag/sdk'
 * const sms: Client = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 */
export interface Client extends EveryOperation {
  /** Sends one message. It goes out at most once, however often the request is repeated. */
  sendSms(message: SmsMessage & AtOnce, options?: CallOptions): Call<SendResult>
  /** Sends one text to up to 10,000 recipients, all or nothing. */
  sendBulkSms(message: BulkSmsMessage & AtOnce, options?: CallOptions): Call<SendResult[]>
  /** Reads the status of a message. */
  getTransactionStatus(ticket: string, options?: CallOptions): Call<Transaction>
  /** Reads how much the wallet can spend. */
  getBalance(options?: CallOptions): Call<Balance>
  /** Lists what was added to the wallet and what was charged, newest first. */
  listLedger(range?: LedgerFilter, options?: CallOptions): Pages<LedgerPage>
  /** Lists the wallet's messages, newest first. */
  searchMessages(filter?: MessageFilter, options?: CallOptions): Pages<MessagePage>
  /** Reads a message in full, with its timeline. */
  getMessage(id: string, options?: CallOptions): Call<Message>
  /** Estimates what a message would cost, without sending it. */
  estimateCost(message: EstimateRequest, options?: CallOptions): Call<Estimate>
  /** Schedules one message for a later time. */
  scheduleSms(message: ScheduleRequest, options?: CallOptions): Call<ScheduleResult>
  /** Lists the scheduled messages, earliest first. */
  listScheduledSms(page?: ScheduledFilter, options?: CallOptions): Pages<ScheduledPage>
  /** Cancels a scheduled message. */
  cancelScheduledSms(ticket: string, options?: CallOptions): Call<Transaction>
  /** Lists the sender IDs of the account. */
  listSenderIds(options?: CallOptions): Pages<SenderIdList>
  /** Asks the operator to approve another sender ID. */
  requestSenderId(request: SenderIdRequest, options?: CallOptions): Call<SenderId>
  /** Lists the keys that work, without their secrets. */
  listKeys(options?: CallOptions): Pages<KeyList>
  /** Replaces a key. Only this answer shows the new secret; a repeat is refused with `key_not_current`. */
  rotateKey(id: string, how: RotateKeyRequest, options?: CallOptions): Call<RotatedKey>
  /** Reads the prices for a country, by its two-letter code. */
  getRates(country: string, options?: CallOptions): Call<Rates>
  /** Counts deliveries and spend, by network or by day. */
  getDeliveryInsights(query: InsightsQuery, options?: CallOptions): Call<DeliveryInsights>
  /** Lists the wallet's callbacks with their attempts, newest first. */
  listCallbacks(filter?: CallbackFilter, options?: CallOptions): Pages<CallbackPage>
  /** Posts one callback again. */
  replayCallback(id: string, options?: CallOptions): Call<Callback>
  /** Posts again, at once, all callbacks created since a time that were given up on or wait for a later attempt. */
  replayFailedCallbacks(since: ReplayRequest, options?: CallOptions): Call<ReplayResult>
  /** Polls a message until it is final. Rejects with a `TimeoutError` if that takes too long. */
  waitForFinal(ticket: string, options?: WaitOptions): Promise<Transaction>
  /**
   * Sends to any number of recipients, in parts, and reports the outcome of each. It rejects if nothing was sent and you
   * can just call again: with options, a message or a checkpoint that don't fit, with credentials that are refused, and
   * for any other error before the first recipient is accepted, uncertain or refused alone. After that it does not reject:
   * check the report's `error`, and resume with its `checkpoint`. A `Content` that is written in the call may have only
   * fields that some of the rows have.
   */
  sendToMany<Row extends Recipient, Content extends string = string>(
    message: ManyMessage & { Content: Content },
    recipients: (Iterable<Row> | AsyncIterable<Row>) & RowsFill<Content, Row>,
    options?: ManyOptions<Row>,
  ): Promise<ManyReport<Row>>
}

/**
 * Creates a client. Without options it reads the address and the credentials from the environment, at the first use.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * const sms = createClient({
 *   baseUrl: 'http://127.0.0.1:8080',
 *   clientId: 'acme',
 *   clientSecret: 'secret',
 *   walletToken: 'wallet',
 * })
 * const sent = await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' })
 * const final = await sms.waitForFinal(sent.Ticket, { timeout: 30_000 })
 * console.log(final.Status)
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options)
  const { call } = transport
  const withBody = <Id extends OperationId>(id: Id) => {
    return (body: Body<Id>, options?: CallOptions) => call(id, { body }, options)
  }
  const withPath = <Id extends OperationId>(id: Id) => {
    return (path: NonNullable<Input<Id>['path']>, options?: CallOptions) => call(id, { path }, options)
  }
  const list = <Id extends Listing>(id: Id) => {
    return (query?: Input<Id>['query'], options?: CallOptions): Pages<Output<Id>> =>
      pagesOf(id, (cursor) => call(id, { query: { ...query, ...(cursor && { Cursor: cursor }) } }, options))
  }
  return {
    sendSms: withBody('sendSms'),
    sendBulkSms: withBody('sendBulkSms'),
    getTransactionStatus: withPath('getTransactionStatus'),
    getBalance: (options) => call('getBalance', {}, options),
    listLedger: list('listLedger'),
    searchMessages: list('searchMessages'),
    getMessage: withPath('getMessage'),
    estimateCost: withBody('estimateCost'),
    scheduleSms: withBody('scheduleSms'),
    listScheduledSms: list('listScheduledSms'),
    cancelScheduledSms: withPath('cancelScheduledSms'),
    listSenderIds: (options) => list('listSenderIds')(undefined, options),
    requestSenderId: withBody('requestSenderId'),
    listKeys: (options) => list('listKeys')(undefined, options),
    rotateKey: (path, body, options) => call('rotateKey', { path, body }, options),
    getRates: withPath('getRates'),
    getDeliveryInsights: (query, options) => call('deliveryInsights', { query }, options),
    listCallbacks: list('listCallbacks'),
    replayCallback: withPath('replayCallback'),
    replayFailedCallbacks: withBody('replayFailedCallbacks'),
    waitForFinal: (ticket, options) => waitForFinal(transport, ticket, options),
    sendToMany: (message, recipients, options) => sendToMany(transport, message, recipients, options),
  }
}
