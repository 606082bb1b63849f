/** What the SDK publishes of the document's types: an example of each, and the name or meaning that it has only there. */
interface Published {
  name?: string
  meaning?: string
  example: string
}

export const published: Record<string, Published> = {
  SmsMessage: {
    example: `
import type { SmsMessage } from '@wigwag/sdk'
const message: SmsMessage = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }`,
  },
  BulkSmsMessage: {
    meaning: 'One text to up to 10,000 recipients. For more, see `sendToMany`.',
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
  Status: {
    example: `
import type { Status } from '@wigwag/sdk'
const isFinal = (status: Status) => status !== 'pending' && status !== 'scheduled'`,
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
    example: `
import type { MessageFilter } from '@wigwag/sdk'
const failedSinceMonday: MessageFilter = { Status: 'failed', DateFrom: '2026-11-16T00:00:00Z' }`,
  },
}
