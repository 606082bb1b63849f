import type { components } from '@wigwag/contract/openapi'
import type { Input } from './operations.ts'

type Schemas = components['schemas']

/**
 * One message to one recipient.
 * @example
 * import type { SmsMessage } from '@wigwag/sdk'
 * const message: SmsMessage = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }
 */
export type SmsMessage = Schemas['SmsMessage']

/**
 * One text to up to 10,000 recipients. For more, see `sendToMany`.
 * @example
 * import type { BulkSmsMessage } from '@wigwag/sdk'
 * const bulk: BulkSmsMessage = { From: 'ACME', Content: 'Open at nine', Recipients: [{ To: '233201234567' }] }
 */
export type BulkSmsMessage = Schemas['BulkSmsMessage']

/**
 * One recipient of a bulk message, with an optional reference.
 * @example
 * import type { Recipient } from '@wigwag/sdk'
 * const recipient: Recipient = { To: '233201234567', Reference: 'customer-1' }
 */
export type Recipient = Schemas['Recipient']

/**
 * A message and when to send it.
 * @example
 * import type { ScheduleRequest } from '@wigwag/sdk'
 * const later: ScheduleRequest = { From: 'ACME', To: '233201234567', Content: 'Hi', SendAt: '2027-01-01T08:00:00Z' }
 */
export type ScheduleRequest = Schemas['ScheduleRequest']

/**
 * A message to estimate the cost of.
 * @example
 * import type { EstimateRequest } from '@wigwag/sdk'
 * const question: EstimateRequest = { To: '233201234567', Content: 'Hello' }
 */
export type EstimateRequest = Schemas['EstimateRequest']

/**
 * The status of a message. The type is open: your editor completes the known values, and new ones still type-check.
 * @example
 * import type { Status } from '@wigwag/sdk'
 * const isFinal = (status: Status) => status !== 'pending' && status !== 'scheduled'
 */
export type Status = Schemas['Status']

/**
 * The code of an error. The type is open, like `Status`.
 * @example
 * import type { ErrorCode } from '@wigwag/sdk'
 * const code: ErrorCode = 'insufficient_funds'
 */
export type ErrorCode = Schemas['ProblemCode']

/**
 * A field that the gateway refused. `pointer` is its JSON pointer in the body.
 * @example
 * import type { FieldError } from '@wigwag/sdk'
 * const print = ({ pointer, detail }: FieldError) => console.log(pointer, detail)
 */
export type FieldError = Schemas['FieldError']

/**
 * The result of sending one message.
 * @example
 * import type { SendResult } from '@wigwag/sdk'
 * const ticketOf = (sent: SendResult) => sent.Ticket
 */
export type SendResult = Schemas['SendResult']

/**
 * The result of scheduling one message.
 * @example
 * import type { ScheduleResult } from '@wigwag/sdk'
 * const timeOf = (scheduled: ScheduleResult) => new Date(scheduled.SendAt)
 */
export type ScheduleResult = Schemas['ScheduleResult']

/**
 * The status and the details of a message.
 * @example
 * import type { Transaction } from '@wigwag/sdk'
 * const wasDelivered = (transaction: Transaction) => transaction.Status === 'success'
 */
export type Transaction = Schemas['Transaction']

/**
 * A message in full: its transaction, segments, network and timeline.
 * @example
 * import type { Message } from '@wigwag/sdk'
 * const steps = (message: Message) => message.Timeline.map((entry) => entry.Event)
 */
export type Message = Schemas['Message']

/**
 * How much the wallet can spend.
 * @example
 * import type { Balance } from '@wigwag/sdk'
 * const print = ({ balance, currency }: Balance) => console.log(balance, currency)
 */
export type Balance = Schemas['Balance']

/**
 * What a message would cost.
 * @example
 * import type { Estimate } from '@wigwag/sdk'
 * const isOneSegment = (estimate: Estimate) => estimate.Segments === 1
 */
export type Estimate = Schemas['Estimate']

/**
 * The prices for one country.
 * @example
 * import type { Rates } from '@wigwag/sdk'
 * const priceOf = (rates: Rates, network: string) => rates.Networks.find((rate) => rate.Network === network)?.Price
 */
export type Rates = Schemas['Rates']

/**
 * Deliveries and spend, by network or by day.
 * @example
 * import type { DeliveryInsights } from '@wigwag/sdk'
 * const spent = (insights: DeliveryInsights) => insights.Totals.Spend
 */
export type DeliveryInsights = Schemas['DeliveryInsights']

/**
 * What is posted to your callback URL when a message is final.
 * @example
 * import type { CallbackPayload } from '@wigwag/sdk'
 * const wasDelivered = (payload: CallbackPayload) => payload.Status === 'success'
 */
export type CallbackPayload = Schemas['CallbackPayload']

/**
 * The filters of `searchMessages`. A message must match all of them.
 * @example
 * import type { MessageFilter } from '@wigwag/sdk'
 * const failedSinceMonday: MessageFilter = { Status: 'failed', DateFrom: '2026-11-16T00:00:00Z' }
 */
export type MessageFilter = NonNullable<Input<'searchMessages'>['query']>
