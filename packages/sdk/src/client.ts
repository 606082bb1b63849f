import { sendToMany } from './bulk.ts'
import type { ManyMessage, ManyOptions, ManyReport } from './bulk-types.ts'
import type { Call } from './call.ts'
import type { Body, Input, OperationId, Output } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { type AnyPage, type Pages, pagesOf } from './paging.ts'
import { createTransport, type Transport } from './transport.ts'
import type {
  Balance,
  BulkSmsMessage,
  DeliveryInsights,
  Estimate,
  EstimateRequest,
  Message,
  MessageFilter,
  Rates,
  Recipient,
  ScheduleRequest,
  ScheduleResult,
  SendResult,
  SmsMessage,
  Transaction,
} from './types.ts'
import { type WaitOptions, waitForFinal } from './wait.ts'

type MethodName<Id extends OperationId> = Id extends 'deliveryInsights' ? 'getDeliveryInsights' : Id

/** A method for every operation of the document, so that one without a method does not compile. */
type EveryOperation = {
  [Id in OperationId as MethodName<Id>]: (...input: never[]) => Call<Output<Id>> | Pages<Output<Id> & AnyPage>
}

/** The operations that answer page by page. */
type Listing = 'searchMessages' | 'listScheduledSms' | 'listCallbacks'

type Query<Id extends OperationId> = NonNullable<Input<Id>['query']>

/**
 * The gateway, one method per operation.
 * @example
 * import { type Client, createClient } from '@wigwag/sdk'
 * const sms: Client = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 */
export interface Client extends EveryOperation {
  /** Sends one message. It goes out at most once, however often the request had to be repeated. */
  sendSms(message: SmsMessage, options?: CallOptions): Call<SendResult>
  /** Sends one text to up to 10,000 recipients, all or nothing. */
  sendBulkSms(message: BulkSmsMessage, options?: CallOptions): Call<SendResult[]>
  /** Reads the status of a message. */
  getTransactionStatus(ticket: string, options?: CallOptions): Call<Transaction>
  /** Reads what the wallet can still spend. */
  getBalance(options?: CallOptions): Call<Balance>
  /** Goes through the messages of the wallet, newest first. */
  searchMessages(filter?: MessageFilter, options?: CallOptions): Pages<Output<'searchMessages'>>
  /** Reads a message in full, with what happened to it. */
  getMessage(id: string, options?: CallOptions): Call<Message>
  /** Says what a message would cost, without sending it. */
  estimateCost(message: EstimateRequest, options?: CallOptions): Call<Estimate>
  /** Sends one message at a time to come. */
  scheduleSms(message: ScheduleRequest, options?: CallOptions): Call<ScheduleResult>
  /** Goes through the messages that wait for their time, the next one due first. */
  listScheduledSms(page?: Query<'listScheduledSms'>, options?: CallOptions): Pages<Output<'listScheduledSms'>>
  /** Cancels a message before its time. */
  cancelScheduledSms(ticket: string, options?: CallOptions): Call<Output<'cancelScheduledSms'>>
  /** Lists the sender IDs of the account. */
  listSenderIds(options?: CallOptions): Call<Output<'listSenderIds'>>
  /** Reads the prices for a country, by its two letters. */
  getRates(country: string, options?: CallOptions): Call<Rates>
  /** Counts deliveries and spend, by network or by day. */
  getDeliveryInsights(query: Query<'deliveryInsights'>, options?: CallOptions): Call<DeliveryInsights>
  /** Goes through the callbacks of the wallet and how they were answered, newest first. */
  listCallbacks(filter?: Query<'listCallbacks'>, options?: CallOptions): Pages<Output<'listCallbacks'>>
  /** Posts one callback again. */
  replayCallback(id: string, options?: CallOptions): Call<Output<'replayCallback'>>
  /** Posts every callback again that was given up on since a time. */
  replayFailedCallbacks(
    since: Body<'replayFailedCallbacks'>,
    options?: CallOptions,
  ): Call<Output<'replayFailedCallbacks'>>
  /** Asks for a message until it is final. Rejects with a `TimeoutError` when it isn't in time. */
  waitForFinal(ticket: string, options?: WaitOptions): Promise<Transaction>
  /**
   * Sends one text to any number of recipients, in parts, and says what became of each. It does not reject for what
   * happens on the way: look at the report's `error`, and resume with its `checkpoint`.
   */
  sendToMany<Row extends Recipient>(
    message: ManyMessage,
    recipients: Iterable<Row> | AsyncIterable<Row>,
    options?: ManyOptions<Row>,
  ): Promise<ManyReport<Row>>
  /** The typed HTTP client, with the credentials set, for what has no method. It repeats nothing and throws no errors. */
  raw: Transport['raw']
}

/**
 * Makes a client.
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
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  const { raw, call } = transport
  const withBody = <Id extends OperationId>(id: Id) => {
    return (body: Body<Id>, options?: CallOptions) => call(id, { body }, options)
  }
  const withPath = <Id extends OperationId>(id: Id) => {
    return (path: NonNullable<Input<Id>['path']>, options?: CallOptions) => call(id, { path }, options)
  }
  const list = <Id extends Listing>(id: Id) => {
    return (query?: Query<Id>, options?: CallOptions): Pages<Output<Id>> =>
      pagesOf((cursor) => call(id, { query: { ...query, ...(cursor && { Cursor: cursor }) } }, options))
  }
  return {
    sendSms: withBody('sendSms'),
    sendBulkSms: withBody('sendBulkSms'),
    getTransactionStatus: withPath('getTransactionStatus'),
    getBalance: (options) => call('getBalance', {}, options),
    searchMessages: list('searchMessages'),
    getMessage: withPath('getMessage'),
    estimateCost: withBody('estimateCost'),
    scheduleSms: withBody('scheduleSms'),
    listScheduledSms: list('listScheduledSms'),
    cancelScheduledSms: withPath('cancelScheduledSms'),
    listSenderIds: (options) => call('listSenderIds', {}, options),
    getRates: withPath('getRates'),
    getDeliveryInsights: (query, options) => call('deliveryInsights', { query }, options),
    listCallbacks: list('listCallbacks'),
    replayCallback: withPath('replayCallback'),
    replayFailedCallbacks: withBody('replayFailedCallbacks'),
    waitForFinal: (ticket, options) => waitForFinal(transport, ticket, options),
    sendToMany: (message, recipients, options) => sendToMany(transport, message, recipients, options),
    raw,
  }
}
