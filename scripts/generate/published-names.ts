/**
 * The document's types that the SDK publishes: an example of each, and a name or meaning that only the SDK
 * gives it.
 */
interface Published {
  name?: string
  meaning?: string
  /** Fields that the SDK can fill in, with what it takes where they are left out. */
  filled?: Record<string, string>
  /** The type of a value that a newer gateway adds, where it is not any text. */
  newer?: string
  /** Fields with a type that is there for what the compiler says of a wrong value. */
  hints?: Record<string, string>
  example: string
}

const FROM = { From: 'Left out, it is the `from` of the client.' }

export const published: Record<string, Published> = {
  SmsMessage: {
    filled: FROM,
    example: `
import type { SmsMessage } from '@wigwag/sdk'
const message: SmsMessage = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }`,
  },
  BulkSmsMessage: {
    meaning: 'One text to up to 10,000 recipients. For more, see `sendToMany`.',
    filled: FROM,
    example: `
import type { BulkSmsMessage } from '@wigwag/sdk'
const bulk: BulkSmsMessage = { From: 'ACME', Content: 'Open at nine', Recipients: [{ To: '233201234567' }] }`,
  },
  Recipient: {
    example: `
import type { Recipient } from '@wigwag/sdk'
const recipient: Recipient = { To: '233201234567', Reference: 'customer-1' }`,
  },
  ScheduleRequest: {
    example: `
import type { ScheduleRequest } from '@wigwag/sdk'
const later: ScheduleRequest = { From: 'ACME', To: '233201234567', Content: 'Hi', SendAt: '2027-01-01T08:00:00Z' }`,
  },
  EstimateRequest: {
    example: `
import type { EstimateRequest } from '@wigwag/sdk'
const question: EstimateRequest = { To: '233201234567', Content: 'Hello' }`,
  },
  KnownStatus: {
    meaning: 'The statuses that this version knows, as a filter takes them.',
    example: `
import { createClient, type KnownStatus } from '@wigwag/sdk'
const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
const notDelivered: KnownStatus[] = ['undelivered', 'expired', 'rejected', 'failed']
for (const Status of notDelivered) for await (const message of sms.searchMessages({ Status })) console.log(message.To)`,
  },
  Status: {
    newer: 'NewerStatus',
    example: `
import type { Status } from '@wigwag/sdk'
const wasDelivered = (status: Status) => status === 'success'`,
  },
  ProblemCode: {
    name: 'ErrorCode',
    example: `
import type { ErrorCode } from '@wigwag/sdk'
const code: ErrorCode = 'insufficient_funds'`,
  },
  FieldError: {
    example: `
import type { FieldError } from '@wigwag/sdk'
const print = ({ pointer, detail }: FieldError) => console.log(pointer, detail)`,
  },
  SendResult: {
    example: `
import type { SendResult } from '@wigwag/sdk'
const ticketOf = (sent: SendResult) => sent.Ticket`,
  },
  ScheduleResult: {
    example: `
import type { ScheduleResult } from '@wigwag/sdk'
const timeOf = (scheduled: ScheduleResult) => new Date(scheduled.SendAt)`,
  },
  Transaction: {
    example: `
import type { Transaction } from '@wigwag/sdk'
const wasDelivered = (transaction: Transaction) => transaction.Status === 'success'`,
  },
  Message: {
    example: `
import type { Message } from '@wigwag/sdk'
const steps = (message: Message) => message.Timeline.map((entry) => entry.Event)`,
  },
  FoundMessage: {
    example: `
import type { FoundMessage } from '@wigwag/sdk'
const isMine = (message: FoundMessage) => message.SentBy?.Kind === 'api'`,
  },
  SentBy: {
    example: `
import type { SentBy } from '@wigwag/sdk'
const nameOf = ({ Kind, Name }: SentBy) => Name ?? Kind`,
  },
  Balance: {
    example: `
import type { Balance } from '@wigwag/sdk'
const print = ({ balance, currency }: Balance) => console.log(balance, currency)`,
  },
  Estimate: {
    example: `
import type { Estimate } from '@wigwag/sdk'
const isOneSegment = (estimate: Estimate) => estimate.Segments === 1`,
  },
  Rates: {
    example: `
import type { Rates } from '@wigwag/sdk'
const priceOf = (rates: Rates, network: string) => rates.Networks.find((rate) => rate.Network === network)?.Price`,
  },
  DeliveryInsights: {
    example: `
import type { DeliveryInsights } from '@wigwag/sdk'
const spent = (insights: DeliveryInsights) => insights.Totals.Spend`,
  },
  CallbackPayload: {
    example: `
import type { CallbackPayload } from '@wigwag/sdk'
const wasDelivered = (payload: CallbackPayload) => payload.Status === 'success'`,
  },
  SearchMessagesQuery: {
    name: 'MessageFilter',
    meaning: 'The filters of `searchMessages`. A message must match all of them.',
    hints: { Status: 'success' },
    example: `
import type { MessageFilter } from '@wigwag/sdk'
const failedSinceMonday: MessageFilter = { Status: 'failed', DateFrom: new Date('2026-11-16') }`,
  },
  Encoding: {
    example: `
import type { Encoding } from '@wigwag/sdk'
const mostInSegment = (encoding: Encoding) => (encoding === 'UCS-2' ? 70 : 160)`,
  },
  LedgerEntry: {
    example: `
import type { LedgerEntry } from '@wigwag/sdk'
const spent = (entry: LedgerEntry) => (entry.Kind === 'charge' ? entry.Amount : 0)`,
  },
  LedgerPage: {
    example: `
import type { LedgerPage } from '@wigwag/sdk'
const balanceOf = ({ Items: [newest] }: LedgerPage) => newest?.BalanceAfter`,
  },
  MessagePage: {
    example: `
import type { MessagePage } from '@wigwag/sdk'
const ticketsOf = (page: MessagePage) => page.Items.map((message) => message.MessageId)`,
  },
  TimelineEntry: {
    example: `
import type { TimelineEntry } from '@wigwag/sdk'
const print = ({ At, Event, Detail }: TimelineEntry) => console.log(At, Event, Detail)`,
  },
  Allowance: {
    example: `
import type { Allowance } from '@wigwag/sdk'
const maySend = (left: Allowance, cost: number) => left.Recipient && left.Messages !== 0 && left.Spend >= cost`,
  },
  ScheduledMessage: {
    example: `
import type { ScheduledMessage } from '@wigwag/sdk'
const isSoon = (message: ScheduledMessage) => Date.parse(message.SendAt) < Date.now() + 3_600_000`,
  },
  ScheduledPage: {
    example: `
import type { ScheduledPage } from '@wigwag/sdk'
const held = (page: ScheduledPage) => page.Items.reduce((sum, message) => sum + message.HeldCost, 0)`,
  },
  SenderId: {
    example: `
import type { SenderId } from '@wigwag/sdk'
const maySend = (sender: SenderId) => sender.Status === 'approved'`,
  },
  SenderIdList: {
    example: `
import type { SenderIdList } from '@wigwag/sdk'
const namesOf = (list: SenderIdList) => list.Items.map((sender) => sender.SenderId)`,
  },
  SenderIdRequest: {
    example: `
import type { SenderIdRequest } from '@wigwag/sdk'
const request: SenderIdRequest = { SenderId: 'WIGSHOP' }`,
  },
  Key: {
    example: `
import type { Key } from '@wigwag/sdk'
const endsSometime = (key: Key) => key.ExpiresAt !== undefined`,
  },
  KeyList: {
    example: `
import type { KeyList } from '@wigwag/sdk'
const currentOf = (keys: KeyList) => keys.Items.filter((key) => !key.ExpiresAt)`,
  },
  RotateKeyRequest: {
    example: `
import type { RotateKeyRequest } from '@wigwag/sdk'
const leaked: RotateKeyRequest = { KeepOldFor: 'PT0S' }`,
  },
  RotatedKey: {
    example: `
import type { RotatedKey } from '@wigwag/sdk'
const store = ({ Kind, Secret }: RotatedKey) => new Map([[Kind, Secret]])`,
  },
  NetworkRate: {
    example: `
import type { NetworkRate } from '@wigwag/sdk'
const cheapest = (rates: NetworkRate[]) => Math.min(...rates.map((rate) => rate.Price))`,
  },
  InsightRow: {
    example: `
import type { InsightRow } from '@wigwag/sdk'
const share = ({ Delivered, Sent }: InsightRow) => (Sent ? Delivered / Sent : 0)`,
  },
  CallbackState: {
    example: `
import type { CallbackState } from '@wigwag/sdk'
const givenUp: CallbackState = 'dead'`,
  },
  Callback: {
    example: `
import type { Callback } from '@wigwag/sdk'
const lastStatus = (callback: Callback) => callback.Attempts.at(-1)?.HttpStatus`,
  },
  CallbackAttempt: {
    example: `
import type { CallbackAttempt } from '@wigwag/sdk'
const wasSlow = (attempt: CallbackAttempt) => attempt.LatencyMs > 5_000`,
  },
  CallbackPage: {
    example: `
import type { CallbackPage } from '@wigwag/sdk'
const dead = (page: CallbackPage) => page.Items.filter((callback) => callback.State === 'dead')`,
  },
  ReplayRequest: {
    example: `
import type { ReplayRequest } from '@wigwag/sdk'
const sinceYesterday: ReplayRequest = { Since: new Date(Date.now() - 86_400_000) }`,
  },
  ReplayResult: {
    example: `
import type { ReplayResult } from '@wigwag/sdk'
const print = ({ Replayed, Skipped }: ReplayResult) => console.log(Replayed, Skipped)`,
  },
  ListLedgerQuery: {
    name: 'LedgerFilter',
    meaning: 'Which entries `listLedger` gives.',
    example: `
import type { LedgerFilter } from '@wigwag/sdk'
const thisYear: LedgerFilter = { DateFrom: new Date('2026-01-01') }`,
  },
  ListScheduledSmsQuery: {
    name: 'ScheduledFilter',
    meaning: 'Which messages `listScheduledSms` gives.',
    example: `
import type { ScheduledFilter } from '@wigwag/sdk'
const few: ScheduledFilter = { Limit: 5 }`,
  },
  ListCallbacksQuery: {
    name: 'CallbackFilter',
    meaning: 'The filters of `listCallbacks`. A callback must match all of them.',
    example: `
import type { CallbackFilter } from '@wigwag/sdk'
const dead: CallbackFilter = { State: 'dead' }`,
  },
  DeliveryInsightsQuery: {
    name: 'InsightsQuery',
    meaning: 'What `getDeliveryInsights` counts, and how it groups.',
    example: `
import type { InsightsQuery } from '@wigwag/sdk'
const byDay: InsightsQuery = { GroupBy: 'day', DateFrom: '2026-11-16T00:00:00Z' }`,
  },
}
