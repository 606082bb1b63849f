// Generated from openapi.yaml by `npm run generate`. Do not edit.

/**
 * Stands for a status that a newer gateway adds. It is a text at run time. The types have a name for it and no value, so that
 * a comparison with a text that is no status, such as `'delivered'`, does not compile.
 * @example
 * import type { KnownStatus, NewerStatus } from '@wigwag/sdk'
 * const words: Partial<Record<KnownStatus | NewerStatus, string>> = { success: 'delivered', failed: 'not delivered' }
 * const inWords = (status: KnownStatus | NewerStatus) => words[status] ?? status
 */
export declare enum NewerStatus {
  added = 'added by a newer gateway',
}

/**
 * Nothing has this type. It has the compiler answer `'delivered'` with "Did you mean 'success'?", by a value that is nearer
 * to it than `'undelivered'`.
 */
export declare enum success {
  meant = 'Delivered',
}

/**
 * One message for one recipient.
 * @example
 * import type { SmsMessage } from '@wigwag/sdk'
 * const message: SmsMessage = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }
 */
export interface SmsMessage {
  /**
   * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
   * 3 to 15 digits. It must be an approved sender ID of the account. Left out, it is the `from` of the client.
   * Example: `WIGWAG`
   */
  From?: string
  /**
   * The recipient's number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.
   * Example: `233241234567`
   */
  To: string
  /**
   * The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
   * several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
   * Example: `Your order 1042 is on its way.`
   */
  Content: string
  /**
   * Your own reference. It comes back in the results, the status and the callback.
   * Example: `order-1042`
   */
  Reference?: string
  /**
   * Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that
   * the gateway may call. The connection of an assistant can't set it.
   * Example: `https://shop.example/callbacks/sms`
   */
  CallbackUrl?: string
}

/**
 * One text to up to 10,000 recipients. For more, see `sendToMany`.
 * @example
 * import type { BulkSmsMessage } from '@wigwag/sdk'
 * const bulk: BulkSmsMessage = { From: 'ACME', Content: 'Open at nine', Recipients: [{ To: '233201234567' }] }
 */
export interface BulkSmsMessage {
  /**
   * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
   * 3 to 15 digits. It must be an approved sender ID of the account. Left out, it is the `from` of the client.
   * Example: `WIGWAG`
   */
  From?: string
  /**
   * The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
   * several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
   * Example: `Your order 1042 is on its way.`
   */
  Content: string
  /**
   * Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that
   * the gateway may call. The connection of an assistant can't set it.
   * Example: `https://shop.example/callbacks/sms`
   */
  CallbackUrl?: string
  /** One entry per recipient. */
  Recipients: Recipient[]
}

/**
 * One recipient of a bulk.
 * @example
 * import type { Recipient } from '@wigwag/sdk'
 * const recipient: Recipient = { To: '233201234567', Reference: 'customer-1' }
 */
export interface Recipient {
  /**
   * The recipient's number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.
   * Example: `233241234567`
   */
  To: string
  /**
   * Your own reference. It comes back in the results, the status and the callback.
   * Example: `order-1042`
   */
  Reference?: string
}

/**
 * The statuses that this version knows, as a filter takes them.
 * @example
 * import { createClient, type KnownStatus } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const notDelivered: KnownStatus[] = ['undelivered', 'expired', 'rejected', 'failed']
 * for (const Status of notDelivered) for await (const message of sms.searchMessages({ Status })) console.log(message.To)
 */
export type KnownStatus = 'pending' | 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed' | 'scheduled' | 'cancelled'

/**
 * The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
 * values may be added.
 * @example
 * import type { Status } from '@wigwag/sdk'
 * const wasDelivered = (status: Status) => status === 'success'
 */
export type Status = 'pending' | 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed' | 'scheduled' | 'cancelled' | NewerStatus

/**
 * The alphabet that the text needs.
 * The type is open: editors complete the known values, and new ones still type-check.
 * @example
 * import type { Encoding } from '@wigwag/sdk'
 * const mostInSegment = (encoding: Encoding) => (encoding === 'UCS-2' ? 70 : 160)
 */
export type Encoding = 'GSM-7' | 'UCS-2' | (string & {})

/**
 * The result of sending one message.
 * @example
 * import type { SendResult } from '@wigwag/sdk'
 * const ticketOf = (sent: SendResult) => sent.Ticket
 */
export interface SendResult {
  /**
   * The charge so far, which is 0.0 at send time.
   * Example: `0`
   */
  Cost: number
  /**
   * The recipient's number.
   * Example: `233241234567`
   */
  Destination: string
  /**
   * Identifies the message; equal to `Ticket`.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Id: string
  /**
   * Identifies the transaction. Tickets sort by the time they were made.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket: string
  /**
   * The `Reference` of the request; empty when it had none.
   * Example: `order-1042`
   */
  ClientReference: string
  /** The status of the message, `pending` at first. Any other than `pending` and `scheduled` is final. */
  Status: Status
}

/**
 * A transaction and its state. No field is ever null.
 * @example
 * import type { Transaction } from '@wigwag/sdk'
 * const wasDelivered = (transaction: Transaction) => transaction.Status === 'success'
 */
export interface Transaction {
  /** The kind of transaction. */
  Type: 'SMS' | (string & {})
  /**
   * Identifies the message.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  MessageId: string
  /**
   * The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
   * values may be added.
   */
  Status: Status
  /**
   * The text of the message.
   * Example: `Your order 1042 is on its way.`
   */
  Content: string
  /**
   * The recipient's number.
   * Example: `233241234567`
   */
  To: string
  /**
   * The sender name.
   * Example: `WIGWAG`
   */
  From: string
  /**
   * Your reference; empty when the send had none.
   * Example: `order-1042`
   */
  Reference: string
  /**
   * The charge. 0 until the message is delivered, and for good when it is not.
   * Example: `0.045`
   */
  Cost: number
  /**
   * When the message was accepted, in UTC with milliseconds.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateCreated: string
  /**
   * When the transaction took effect, that is, when it became final; until then it equals `DateCreated`.
   * Example: `2026-11-20T09:30:02.480Z`
   */
  EffectedAt: string
  /**
   * The wallet's posted balance before the transaction took effect.
   * Example: `100`
   */
  BalanceBefore: number
  /**
   * The wallet's posted balance after it.
   * Example: `99.955`
   */
  BalanceAfter: number
}

/**
 * What a wallet can still spend.
 * @example
 * import type { Balance } from '@wigwag/sdk'
 * const print = ({ balance, currency }: Balance) => console.log(balance, currency)
 */
export interface Balance {
  /**
   * The balance that can be spent, what is held for messages under way already taken off.
   * Example: `99.955`
   */
  balance: number
  /**
   * The currency of the wallet, by its ISO 4217 code.
   * Example: `GHS`
   */
  currency: string
  /**
   * When the balance was read, in UTC with milliseconds.
   * Example: `2026-11-20T09:31:00.000Z`
   */
  asOf: string
}

/**
 * A change of a wallet's posted balance.
 * @example
 * import type { LedgerEntry } from '@wigwag/sdk'
 * const spent = (entry: LedgerEntry) => (entry.Kind === 'charge' ? entry.Amount : 0)
 */
export interface LedgerEntry {
  /**
   * The entry's place in the wallet's ledger. The first is 1, and none is left out.
   * Example: `2`
   */
  Seq: number
  /** Whether money was added (`credit`) or charged for a message (`charge`). */
  Kind: 'credit' | 'charge' | (string & {})
  /**
   * How much was added or charged, never negative.
   * Example: `0.045`
   */
  Amount: number
  /**
   * The wallet's posted balance before the entry, what is held included.
   * Example: `100`
   */
  BalanceBefore: number
  /**
   * The wallet's posted balance after the entry, what is held included.
   * Example: `99.955`
   */
  BalanceAfter: number
  /**
   * The message that was charged for. Absent when money was added.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket?: string
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  At: string
}

/**
 * One page of a wallet's ledger.
 * @example
 * import type { LedgerPage } from '@wigwag/sdk'
 * const balanceOf = ({ Items: [newest] }: LedgerPage) => newest?.BalanceAfter
 */
export interface LedgerPage {
  /** The entries, newest first. */
  Items: LedgerEntry[]
  /**
   * The `Cursor` of the next page. Absent on the last page.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  NextCursor?: string
}

/**
 * What is posted to a callback URL.
 * @example
 * import type { CallbackPayload } from '@wigwag/sdk'
 * const wasDelivered = (payload: CallbackPayload) => payload.Status === 'success'
 */
export interface CallbackPayload {
  /**
   * The `Reference` that was sent with the message; empty when it had none.
   * Example: `order-1042`
   */
  ClientReference: string
  /**
   * Identifies the transaction. Tickets sort by the time they were made.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket: string
  /**
   * The recipient's number.
   * Example: `233241234567`
   */
  Destination: string
  /**
   * The charge applied to the wallet; 0 when the message was not delivered.
   * Example: `0.045`
   */
  Cost: number
  /**
   * The wallet's posted balance before the transaction.
   * Example: `100`
   */
  BalanceBefore: number
  /**
   * The wallet's posted balance after the transaction.
   * Example: `99.955`
   */
  BalanceAfter: number
  /**
   * The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
   * values may be added.
   */
  Status: Status
}

/** An error, after RFC 9457. */
export interface Problem {
  /**
   * Always `about:blank`; branch on `code`.
   * Example: `about:blank`
   */
  type: string
  /**
   * The error in a few words, the same for every occurrence of its code.
   * Example: `The wallet does not hold enough`
   */
  title: string
  /**
   * The HTTP status.
   * Example: `402`
   */
  status: number
  /**
   * What was expected, what came, and what to do.
   * Example: `The messages cost 12.5 GHS and the wallet can spend 3.2 GHS.`
   */
  detail: string
  /** Says which error it is. Stable; new codes may be added. */
  code: ErrorCode
  /**
   * Names the request in the gateway's logs.
   * Example: `01932c07-7e5d-7001-8000-5d2f8c1b7a90`
   */
  requestId: string
  /** Every field that breaks a rule. */
  errors?: FieldError[]
}

/**
 * One field that breaks a rule.
 * @example
 * import type { FieldError } from '@wigwag/sdk'
 * const print = ({ pointer, detail }: FieldError) => console.log(pointer, detail)
 */
export interface FieldError {
  /**
   * Where the field is, as a JSON pointer; for a parameter, `/` and its name.
   * Example: `/Recipients/3/To`
   */
  pointer: string
  /** Says which error it is. Stable; new codes may be added. */
  code: ErrorCode
  /**
   * What was expected and what came.
   * Example: `Expected 7 to 15 digits beginning with a country code, which is never 0; got "0241234567".`
   */
  detail: string
}

/**
 * Says which error it is. Stable; new codes may be added.
 * The type is open: editors complete the known values, and new ones still type-check.
 * @example
 * import type { ErrorCode } from '@wigwag/sdk'
 * const code: ErrorCode = 'insufficient_funds'
 */
export type ErrorCode = 'invalid_json' | 'invalid_idempotency_key' | 'invalid_credentials' | 'wallet_token_missing' | 'insufficient_funds' | 'wallet_forbidden' | 'account_suspended' | 'sender_not_approved' | 'insufficient_scope' | 'limit_reached' | 'recipient_not_allowed' | 'scheduled_elsewhere' | 'transaction_not_found' | 'key_not_found' | 'route_not_found' | 'method_not_allowed' | 'request_timeout' | 'idempotency_in_progress' | 'not_cancellable' | 'key_not_current' | 'too_many' | 'body_too_large' | 'unsupported_media_type' | 'missing_field' | 'invalid_type' | 'invalid_value' | 'invalid_recipient' | 'invalid_sender' | 'content_empty' | 'content_too_long' | 'content_invalid' | 'invalid_callback_url' | 'invalid_send_at' | 'no_rate' | 'too_many_recipients' | 'idempotency_key_reused' | 'rate_limited' | 'internal_error' | 'unavailable' | 'outcome_unknown' | (string & {})

/**
 * One page of messages.
 * @example
 * import type { MessagePage } from '@wigwag/sdk'
 * const ticketsOf = (page: MessagePage) => page.Items.map((message) => message.MessageId)
 */
export interface MessagePage {
  /** The messages, newest first. */
  Items: FoundMessage[]
  /**
   * The `Cursor` of the next page. Absent on the last page.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  NextCursor?: string
}

/**
 * A transaction, and who sent it.
 * @example
 * import type { FoundMessage } from '@wigwag/sdk'
 * const isMine = (message: FoundMessage) => message.SentBy?.Kind === 'api'
 */
export interface FoundMessage extends Transaction {
  /** Who sent a message. Absent for messages from before this was kept. */
  SentBy?: SentBy
}

/**
 * Who sent a message. Absent for messages from before this was kept.
 * @example
 * import type { SentBy } from '@wigwag/sdk'
 * const nameOf = ({ Kind, Name }: SentBy) => Name ?? Kind
 */
export interface SentBy {
  /** An API client, a person on a page, or an assistant. New values may be added. */
  Kind: 'api' | 'person' | 'assistant' | (string & {})
  /**
   * The client ID, the person's e-mail address, or the name that the assistant gave itself, which anybody can
   * choose. Absent when the person was forgotten.
   * Example: `Claude`
   */
  Name?: string
}

/**
 * A message in full.
 * @example
 * import type { Message } from '@wigwag/sdk'
 * const steps = (message: Message) => message.Timeline.map((entry) => entry.Event)
 */
export interface Message extends Transaction {
  /** Who sent a message. Absent for messages from before this was kept. */
  SentBy?: SentBy
  /**
   * How many segments the text takes.
   * Example: `1`
   */
  Segments: number
  /** The alphabet that the text needs. */
  Encoding: Encoding
  /**
   * The recipient's country, by its two letters in ISO 3166-1.
   * Example: `GH`
   */
  Country: string
  /**
   * The recipient's network, when the number tells. Numbers may have moved to another since.
   * Example: `MTN`
   */
  Network?: string
  /**
   * Why the message was not delivered, in a sentence of the gateway's. Absent while it is not final, and when it was delivered or cancelled.
   * Example: `The carrier could not deliver it.`
   */
  FailureReason?: string
  /**
   * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
   * Example: `2026-11-21T08:00:00.000Z`
   */
  SendAt?: string
  /** What happened to the message, in order. */
  Timeline: TimelineEntry[]
}

/**
 * One thing that happened to a message.
 * @example
 * import type { TimelineEntry } from '@wigwag/sdk'
 * const print = ({ At, Event, Detail }: TimelineEntry) => console.log(At, Event, Detail)
 */
export interface TimelineEntry {
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  At: string
  /** What happened. New values may be added. */
  Event: 'accepted' | 'scheduled' | 'due' | 'submitted' | 'receipt' | 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed' | 'cancelled' | 'callback_delivered' | 'callback_failed' | (string & {})
  /**
   * More about it, for people to read.
   * Example: `answered 204`
   */
  Detail?: string
}

/**
 * A message to estimate.
 * @example
 * import type { EstimateRequest } from '@wigwag/sdk'
 * const question: EstimateRequest = { To: '233201234567', Content: 'Hello' }
 */
export interface EstimateRequest {
  /**
   * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
   * 3 to 15 digits. It must be an approved sender ID of the account.
   * Example: `WIGWAG`
   */
  From?: string
  /**
   * The recipient's number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.
   * Example: `233241234567`
   */
  To: string
  /**
   * The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
   * several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
   * Example: `Your order 1042 is on its way.`
   */
  Content: string
  /**
   * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
   * Example: `2026-11-21T08:00:00.000Z`
   */
  SendAt?: string | Date
}

/**
 * What a message would cost.
 * @example
 * import type { Estimate } from '@wigwag/sdk'
 * const isOneSegment = (estimate: Estimate) => estimate.Segments === 1
 */
export interface Estimate {
  /**
   * How many segments the text takes.
   * Example: `1`
   */
  Segments: number
  /** The alphabet that the text needs. */
  Encoding: Encoding
  /**
   * The first character that is not in the GSM alphabet. Absent when all are.
   * Example: `😀`
   */
  UnicodeCause?: string
  /**
   * The price of one segment.
   * Example: `0.045`
   */
  UnitPrice: number
  /**
   * The price of the message, segments times unit price.
   * Example: `0.045`
   */
  Cost: number
  /**
   * The currency of the wallet, by its ISO 4217 code.
   * Example: `GHS`
   */
  Currency: string
  /**
   * The recipient's country, by its two letters in ISO 3166-1.
   * Example: `GH`
   */
  Country: string
  /**
   * The recipient's network, when the number tells.
   * Example: `MTN`
   */
  Network?: string
  /** What the limits of the caller's connection leave. Only for an access token that may send. */
  Allowance?: Allowance
}

/**
 * What the limits of the caller's connection leave. Only for an access token that may send.
 * @example
 * import type { Allowance } from '@wigwag/sdk'
 * const maySend = (left: Allowance, cost: number) => left.Recipient && left.Messages !== 0 && left.Spend >= cost
 */
export interface Allowance {
  /**
   * How much it may still spend today, in UTC.
   * Example: `4.955`
   */
  Spend: number
  /**
   * How many messages it may still send today, in UTC. Absent when their number has no limit.
   * Example: `49`
   */
  Messages?: number
  /** Whether it may send to this recipient. */
  Recipient: boolean
}

/**
 * A message and its time.
 * @example
 * import type { ScheduleRequest } from '@wigwag/sdk'
 * const later: ScheduleRequest = { From: 'ACME', To: '233201234567', Content: 'Hi', SendAt: '2027-01-01T08:00:00Z' }
 */
export interface ScheduleRequest extends SmsMessage {
  /**
   * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
   * Example: `2026-11-21T08:00:00.000Z`
   */
  SendAt: string | Date
}

/**
 * The result of scheduling one message.
 * @example
 * import type { ScheduleResult } from '@wigwag/sdk'
 * const timeOf = (scheduled: ScheduleResult) => new Date(scheduled.SendAt)
 */
export interface ScheduleResult extends SendResult {
  /**
   * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
   * Example: `2026-11-21T08:00:00.000Z`
   */
  SendAt: string
}

/**
 * A message that waits for its time.
 * @example
 * import type { ScheduledMessage } from '@wigwag/sdk'
 * const isSoon = (message: ScheduledMessage) => Date.parse(message.SendAt) < Date.now() + 3_600_000
 */
export interface ScheduledMessage {
  /**
   * Identifies the transaction. Tickets sort by the time they were made.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket: string
  /**
   * The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
   * values may be added.
   */
  Status: Status
  /**
   * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
   * Example: `2026-11-21T08:00:00.000Z`
   */
  SendAt: string
  /**
   * The sender name.
   * Example: `WIGWAG`
   */
  From: string
  /**
   * The recipient's number.
   * Example: `233241234567`
   */
  To: string
  /**
   * The text of the message.
   * Example: `Your appointment is today at ten.`
   */
  Content: string
  /**
   * Your reference; empty when the send had none.
   * Example: `reminder-7`
   */
  Reference: string
  /**
   * An amount in major units of the wallet's currency, with up to six decimals.
   * Example: `0.045`
   */
  HeldCost: number
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateCreated: string
}

/**
 * One page of scheduled messages.
 * @example
 * import type { ScheduledPage } from '@wigwag/sdk'
 * const held = (page: ScheduledPage) => page.Items.reduce((sum, message) => sum + message.HeldCost, 0)
 */
export interface ScheduledPage {
  /** The messages, the next one due first. */
  Items: ScheduledMessage[]
  /**
   * The `Cursor` of the next page. Absent on the last page.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  NextCursor?: string
}

/**
 * A sender ID of the account.
 * @example
 * import type { SenderId } from '@wigwag/sdk'
 * const maySend = (sender: SenderId) => sender.Status === 'approved'
 */
export interface SenderId {
  /**
   * The sender name.
   * Example: `WIGWAG`
   */
  SenderId: string
  /** Whether it may send. */
  Status: 'approved' | 'pending' | 'rejected'
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateCreated: string
}

/**
 * The sender IDs of an account.
 * @example
 * import type { SenderIdList } from '@wigwag/sdk'
 * const namesOf = (list: SenderIdList) => list.Items.map((sender) => sender.SenderId)
 */
export interface SenderIdList {
  /** Every sender ID of the account. */
  Items: SenderId[]
}

/**
 * A sender ID to ask for.
 * @example
 * import type { SenderIdRequest } from '@wigwag/sdk'
 * const request: SenderIdRequest = { SenderId: 'WIGSHOP' }
 */
export interface SenderIdRequest {
  /**
   * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
   * 3 to 15 digits.
   * Example: `WIGSHOP`
   */
  SenderId: string
}

/**
 * A key of the account, without its secret.
 * @example
 * import type { Key } from '@wigwag/sdk'
 * const endsSometime = (key: Key) => key.ExpiresAt !== undefined
 */
export interface Key {
  /**
   * Identifies the key.
   * Example: `0191d7c2-5b02-7d10-8c55-3f1e9a7b2c64`
   */
  Id: string
  /** What the key is. New values may be added. */
  Kind: 'client' | 'wallet' | 'callback' | (string & {})
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateCreated: string
  /**
   * When it was last used, to the minute. Absent when it never was.
   * Example: `2026-11-20T09:29:11.040Z`
   */
  LastUsed?: string
  /**
   * When an old key ends. Absent while it is the current one.
   * Example: `2026-11-21T09:30:00.125Z`
   */
  ExpiresAt?: string
}

/**
 * The keys of an account that work.
 * @example
 * import type { KeyList } from '@wigwag/sdk'
 * const currentOf = (keys: KeyList) => keys.Items.filter((key) => !key.ExpiresAt)
 */
export interface KeyList {
  /** Every key that works, the current one of each kind first. */
  Items: Key[]
}

/**
 * How to replace a key.
 * @example
 * import type { RotateKeyRequest } from '@wigwag/sdk'
 * const leaked: RotateKeyRequest = { KeepOldFor: 'PT0S' }
 */
export interface RotateKeyRequest {
  /**
   * For how long the old secret works beside the new one, as an ISO 8601 duration: not at all, an hour, a day or a
   * week.
   */
  KeepOldFor: 'PT0S' | 'PT1H' | 'P1D' | 'P7D'
}

/**
 * A new key, with its secret.
 * @example
 * import type { RotatedKey } from '@wigwag/sdk'
 * const store = ({ Kind, Secret }: RotatedKey) => new Map([[Kind, Secret]])
 */
export interface RotatedKey extends Key {
  /**
   * The new secret. It is shown this once.
   * Example: `ws_7Yb3nKq0ZrVt5sHdLmXc2Gf8`
   */
  Secret: string
  /**
   * When the old secret ends.
   * Example: `2026-11-21T09:30:00.125Z`
   */
  OldExpiresAt: string
}

/**
 * The prices for one country.
 * @example
 * import type { Rates } from '@wigwag/sdk'
 * const priceOf = (rates: Rates, network: string) => rates.Networks.find((rate) => rate.Network === network)?.Price
 */
export interface Rates {
  /**
   * The country, by its two letters in ISO 3166-1.
   * Example: `GH`
   */
  Country: string
  /**
   * The currency of the wallet, by its ISO 4217 code.
   * Example: `GHS`
   */
  Currency: string
  /**
   * The price of one segment to any network without a price of its own. Absent when there is none.
   * Example: `0.05`
   */
  DefaultPrice?: number
  /** The networks that have a price of their own. */
  Networks: NetworkRate[]
  /** True while the gateway runs on its built-in sample of prices. */
  Sample: boolean
}

/**
 * The price for one network.
 * @example
 * import type { NetworkRate } from '@wigwag/sdk'
 * const cheapest = (rates: NetworkRate[]) => Math.min(...rates.map((rate) => rate.Price))
 */
export interface NetworkRate {
  /**
   * The network's name.
   * Example: `MTN`
   */
  Network: string
  /**
   * Its mobile country code.
   * Example: `620`
   */
  Mcc: string
  /**
   * Its mobile network code.
   * Example: `01`
   */
  Mnc: string
  /**
   * An amount in major units of the wallet's currency, with up to six decimals.
   * Example: `0.045`
   */
  Price: number
}

/**
 * The counts of one group, or of all.
 * @example
 * import type { InsightRow } from '@wigwag/sdk'
 * const share = ({ Delivered, Sent }: InsightRow) => (Sent ? Delivered / Sent : 0)
 */
export interface InsightRow {
  /**
   * The group, a country and its network, or a day in UTC; `total` for all.
   * Example: `GH MTN`
   */
  Key: string
  /**
   * How many messages were sent.
   * Example: `120`
   */
  Sent: number
  /**
   * How many were delivered.
   * Example: `117`
   */
  Delivered: number
  /**
   * How many were not (`undelivered`, `expired`, `rejected` and `failed`).
   * Example: `2`
   */
  Failed: number
  /**
   * How many are not final yet.
   * Example: `1`
   */
  Pending: number
  /**
   * An amount in major units of the wallet's currency, with up to six decimals.
   * Example: `0.045`
   */
  Spend: number
}

/**
 * Deliveries and spend over a time.
 * @example
 * import type { DeliveryInsights } from '@wigwag/sdk'
 * const spent = (insights: DeliveryInsights) => insights.Totals.Spend
 */
export interface DeliveryInsights {
  /** What a row stands for. */
  GroupBy: 'network' | 'day' | (string & {})
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateFrom: string
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateTo: string
  /**
   * The currency of the wallet, by its ISO 4217 code.
   * Example: `GHS`
   */
  Currency: string
  /** One row per group. */
  Groups: InsightRow[]
  /** The counts of one group, or of all. */
  Totals: InsightRow
}

/**
 * Whether the callback waits for an attempt, was received, or was given up on.
 * @example
 * import type { CallbackState } from '@wigwag/sdk'
 * const givenUp: CallbackState = 'dead'
 */
export type CallbackState = 'pending' | 'delivered' | 'dead'

/**
 * A callback and every attempt to deliver it.
 * @example
 * import type { Callback } from '@wigwag/sdk'
 * const lastStatus = (callback: Callback) => callback.Attempts.at(-1)?.HttpStatus
 */
export interface Callback {
  /**
   * Identifies the callback; the same as its `webhook-id`.
   * Example: `01932c07-8a11-7a55-b0c4-0f6f5a3c2d10`
   */
  Id: string
  /**
   * Identifies the transaction. Tickets sort by the time they were made.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket: string
  /**
   * Where it is posted.
   * Example: `https://shop.example/callbacks/sms`
   */
  Url: string
  /** Whether the callback waits for an attempt, was received, or was given up on. */
  State: CallbackState
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  DateCreated: string
  /**
   * When it is tried next. Absent when it is not.
   * Example: `2026-11-20T09:35:02.480Z`
   */
  NextAttemptAt?: string
  /** The newest 20 attempts, in order. */
  Attempts: CallbackAttempt[]
}

/**
 * One attempt to deliver a callback.
 * @example
 * import type { CallbackAttempt } from '@wigwag/sdk'
 * const wasSlow = (attempt: CallbackAttempt) => attempt.LatencyMs > 5_000
 */
export interface CallbackAttempt {
  /**
   * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
   * Example: `2026-11-20T09:30:00.125Z`
   */
  At: string
  /**
   * The status that the receiver answered with. Absent when it did not answer.
   * Example: `200`
   */
  HttpStatus?: number
  /**
   * How long the attempt took, in milliseconds.
   * Example: `41`
   */
  LatencyMs: number
  /** What went wrong. Absent when nothing did. */
  ErrorClass?: 'invalid_url' | 'blocked_address' | 'dns_failed' | 'connect_failed' | 'tls_failed' | 'timeout' | 'connection_lost' | 'http_status' | 'receiver_gone' | (string & {})
  /**
   * The first bytes of the answer.
   * Example: `ok`
   */
  Reply?: string
}

/**
 * One page of callbacks.
 * @example
 * import type { CallbackPage } from '@wigwag/sdk'
 * const dead = (page: CallbackPage) => page.Items.filter((callback) => callback.State === 'dead')
 */
export interface CallbackPage {
  /** The callbacks, newest first. */
  Items: Callback[]
  /**
   * The `Cursor` of the next page. Absent on the last page.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  NextCursor?: string
}

/**
 * Which callbacks to post again.
 * @example
 * import type { ReplayRequest } from '@wigwag/sdk'
 * const sinceYesterday: ReplayRequest = { Since: new Date(Date.now() - 86_400_000) }
 */
export interface ReplayRequest {
  /**
   * Callbacks created at this time or later, ISO 8601 with `Z` or an offset.
   * Example: `2026-11-20T06:00:00Z`
   */
  Since: string | Date
}

/**
 * How many callbacks are posted again.
 * @example
 * import type { ReplayResult } from '@wigwag/sdk'
 * const print = ({ Replayed, Skipped }: ReplayResult) => console.log(Replayed, Skipped)
 */
export interface ReplayResult {
  /**
   * How many callbacks were queued.
   * Example: `17`
   */
  Replayed: number
  /**
   * How many were left, because they were posted again 10 times on this day in UTC.
   * Example: `0`
   */
  Skipped: number
}

/**
 * Which entries `listLedger` gives.
 * @example
 * import type { LedgerFilter } from '@wigwag/sdk'
 * const thisYear: LedgerFilter = { DateFrom: new Date('2026-01-01') }
 */
export interface LedgerFilter {
  /**
   * Only what was created at this time or later.
   * Example: `2026-11-13T00:00:00Z`
   */
  DateFrom?: string | Date
  /**
   * Only what was created before this time.
   * Example: `2026-11-20T00:00:00Z`
   */
  DateTo?: string | Date
  /**
   * How many items a page may have.
   * Example: `50`
   */
  Limit?: number
  /**
   * Where to read on, the `NextCursor` of the page before.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  Cursor?: string
}

/**
 * The filters of `searchMessages`. A message must match all of them.
 * @example
 * import type { MessageFilter } from '@wigwag/sdk'
 * const failedSinceMonday: MessageFilter = { Status: 'failed', DateFrom: new Date('2026-11-16') }
 */
export interface MessageFilter {
  /**
   * Only what was created at this time or later.
   * Example: `2026-11-13T00:00:00Z`
   */
  DateFrom?: string | Date
  /**
   * Only what was created before this time.
   * Example: `2026-11-20T00:00:00Z`
   */
  DateTo?: string | Date
  /** Only messages that have this status now. */
  Status?: KnownStatus | success
  /**
   * Only messages to this phone, whether its number was written with the national prefix or without.
   * Example: `233241234567`
   */
  To?: string
  /**
   * Only messages from this sender name.
   * Example: `WIGWAG`
   */
  From?: string
  /**
   * Only messages that were sent with this reference, compared exactly. Look here before a send is repeated more
   * than 24 hours later, when its idempotency key has been forgotten.
   * Example: `order-1042`
   */
  Reference?: string
  /**
   * Only messages that an API client, a person on a page, or an assistant sent. Looks through a bounded number of
   * messages for each page, so a page may have fewer than `Limit`, or none, and still name a `Cursor`.
   */
  SentBy?: 'api' | 'person' | 'assistant'
  /**
   * How many items a page may have.
   * Example: `50`
   */
  Limit?: number
  /**
   * Where to read on, the `NextCursor` of the page before.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  Cursor?: string
}

/**
 * Which messages `listScheduledSms` gives.
 * @example
 * import type { ScheduledFilter } from '@wigwag/sdk'
 * const few: ScheduledFilter = { Limit: 5 }
 */
export interface ScheduledFilter {
  /**
   * How many items a page may have.
   * Example: `50`
   */
  Limit?: number
  /**
   * Where to read on, the `NextCursor` of the page before.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  Cursor?: string
}

/**
 * What `getDeliveryInsights` counts, and how it groups.
 * @example
 * import type { InsightsQuery } from '@wigwag/sdk'
 * const byDay: InsightsQuery = { GroupBy: 'day', DateFrom: '2026-11-16T00:00:00Z' }
 */
export interface InsightsQuery {
  /** One row per recipient network, or one per day. */
  GroupBy: 'network' | 'day'
  /**
   * Only what was created at this time or later.
   * Example: `2026-11-13T00:00:00Z`
   */
  DateFrom?: string | Date
  /**
   * Only what was created before this time.
   * Example: `2026-11-20T00:00:00Z`
   */
  DateTo?: string | Date
}

/**
 * The filters of `listCallbacks`. A callback must match all of them.
 * @example
 * import type { CallbackFilter } from '@wigwag/sdk'
 * const dead: CallbackFilter = { State: 'dead' }
 */
export interface CallbackFilter {
  /**
   * Only the callbacks of this transaction.
   * Example: `01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f`
   */
  Ticket?: string
  /** Only callbacks in this state. */
  State?: CallbackState
  /**
   * How many items a page may have.
   * Example: `50`
   */
  Limit?: number
  /**
   * Where to read on, the `NextCursor` of the page before.
   * Example: `MTczMjA5NTAwMDEyNQ`
   */
  Cursor?: string
}

/** What each operation takes and gives. */
export interface Operations {
  /** Send one SMS. */
  sendSms: {
    path: undefined
    query: undefined
    body: SmsMessage
    output: SendResult
  }
  /** Send one text to many recipients. */
  sendBulkSms: {
    path: undefined
    query: undefined
    body: BulkSmsMessage
    output: SendResult[]
  }
  /** Read the status of a transaction. */
  getTransactionStatus: {
    path: string
    query: undefined
    body: undefined
    output: Transaction
  }
  /** Read the wallet's balance. */
  getBalance: {
    path: undefined
    query: undefined
    body: undefined
    output: Balance
  }
  /** List the wallet's ledger. */
  listLedger: {
    path: undefined
    query: LedgerFilter
    body: undefined
    output: LedgerPage
  }
  /** Search the messages of the account. */
  searchMessages: {
    path: undefined
    query: MessageFilter
    body: undefined
    output: MessagePage
  }
  /** Read one message in full. */
  getMessage: {
    path: string
    query: undefined
    body: undefined
    output: Message
  }
  /** Estimate the cost of a message. */
  estimateCost: {
    path: undefined
    query: undefined
    body: EstimateRequest
    output: Estimate
  }
  /** List the scheduled messages. */
  listScheduledSms: {
    path: undefined
    query: ScheduledFilter
    body: undefined
    output: ScheduledPage
  }
  /** Schedule one SMS. */
  scheduleSms: {
    path: undefined
    query: undefined
    body: ScheduleRequest
    output: ScheduleResult
  }
  /** Cancel a scheduled message. */
  cancelScheduledSms: {
    path: string
    query: undefined
    body: undefined
    output: Transaction
  }
  /** List the sender IDs of the account. */
  listSenderIds: {
    path: undefined
    query: undefined
    body: undefined
    output: SenderIdList
  }
  /** Ask for a sender ID. */
  requestSenderId: {
    path: undefined
    query: undefined
    body: SenderIdRequest
    output: SenderId
  }
  /** List the keys. */
  listKeys: {
    path: undefined
    query: undefined
    body: undefined
    output: KeyList
  }
  /** Replace a key. */
  rotateKey: {
    path: string
    query: undefined
    body: RotateKeyRequest
    output: RotatedKey
  }
  /** Read the prices for a country. */
  getRates: {
    path: string
    query: undefined
    body: undefined
    output: Rates
  }
  /** Count deliveries and spend. */
  deliveryInsights: {
    path: undefined
    query: InsightsQuery
    body: undefined
    output: DeliveryInsights
  }
  /** List callbacks and their attempts. */
  listCallbacks: {
    path: undefined
    query: CallbackFilter
    body: undefined
    output: CallbackPage
  }
  /** Post one callback again. */
  replayCallback: {
    path: string
    query: undefined
    body: undefined
    output: Callback
  }
  /** Post every failed callback again. */
  replayFailedCallbacks: {
    path: undefined
    query: undefined
    body: ReplayRequest
    output: ReplayResult
  }
}
