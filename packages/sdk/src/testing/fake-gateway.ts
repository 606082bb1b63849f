import { recipientDigits } from '@wigwag/contract/recipient'
import {
  type CallbackPayload,
  type ErrorCode,
  type FieldError,
  isFinal,
  type KnownStatus,
  type SmsMessage,
  type Transaction,
} from '@wigwag/sdk'
import type { Operations } from '../generated/models.ts'
import type { OperationId, Output } from '../operations.ts'

/** The input of an operation as it is sent: times are texts. */
export type FakeInput<Id extends OperationId> = {
  [Part in 'path' | 'query' | 'body']: AsSent<Operations[Id][Part]>
}

type AsSent<Part> = { [Name in keyof Part]: Exclude<Part[Name], Date> }

/** An answer for every operation. An operation that the document adds does not compile until it has one here. */
export type Answers = { [Id in OperationId]: (input: FakeInput<Id>) => Output<Id> }

/**
 * An error that the gateway answers with.
 * @example
 * import { createFakeClient, type FakeProblem } from '@wigwag/sdk/testing'
 * const busy: FakeProblem = { status: 429, code: 'rate_limited', retryAfter: 1 }
 * createFakeClient().fail('sendSms', busy)
 */
export interface FakeProblem {
  status: number
  code?: ErrorCode
  detail?: string
  errors?: readonly FieldError[]
  /** Seconds, as in the header `Retry-After`. */
  retryAfter?: number
}

/** Thrown by an answer, to answer with an error instead. */
export class Refusal extends Error {
  readonly problem: FakeProblem

  constructor(problem: FakeProblem) {
    super(problem.detail)
    this.problem = problem
  }
}

export interface FakeGateway {
  answers: Answers
  /** Every message, in the order in which they were sent. */
  messages: Transaction[]
  /** Gives a message its final status. */
  end(ticket: string, status: KnownStatus): CallbackPayload
}

const currency = 'GHS'
const price = 1

/** Keeps what is sent, and makes up the rest. It accepts every message: the gateway's rules are not repeated here. */
export function createFakeGateway(now: () => number, outcome: KnownStatus | undefined): FakeGateway {
  const messages: Transaction[] = []
  const dueAt = new Map<string, string>()
  let balance = 100
  const time = () => new Date(now()).toISOString()

  function find(ticket: string): Transaction {
    const message = messages.find(({ MessageId }) => MessageId === ticket)
    if (message) return message
    throw new Refusal({
      status: 404,
      code: 'transaction_not_found',
      detail: `Expected the ticket of a message that was sent; got ${ticket}.`,
    })
  }

  function end(ticket: string, status: KnownStatus): CallbackPayload {
    const message = find(ticket)
    if (isFinal(message.Status)) {
      throw new TypeError(`Expected a message that is not final; ${ticket} is ${message.Status}.`)
    }
    const Cost = status === 'success' ? price : 0
    const amounts = { Cost, BalanceBefore: balance, BalanceAfter: balance - Cost }
    balance -= Cost
    Object.assign(message, { Status: status, EffectedAt: time(), ...amounts })
    return {
      ClientReference: message.Reference,
      Ticket: ticket,
      Destination: message.To,
      ...amounts,
      Status: status,
    }
  }

  function accept(message: SmsMessage, status: KnownStatus): Output<'sendSms'> {
    const { From = '', Content, Reference = '' } = message
    const To = recipientDigits(message.To)
    const Ticket = `00000000-0000-7000-8000-${String(messages.length + 1).padStart(12, '0')}`
    messages.push({
      Type: 'SMS',
      MessageId: Ticket,
      Status: status,
      Content,
      To,
      From,
      Reference,
      Cost: 0,
      DateCreated: time(),
      EffectedAt: time(),
      BalanceBefore: balance,
      BalanceAfter: balance,
    })
    if (outcome && status === 'pending') end(Ticket, outcome)
    return { Cost: 0, Destination: To, Id: Ticket, Ticket, ClientReference: Reference, Status: status }
  }

  function scheduled({ MessageId, Status, From, To, Content, Reference, DateCreated }: Transaction) {
    const SendAt = dueAt.get(MessageId) ?? DateCreated
    return { Ticket: MessageId, Status, SendAt, From, To, Content, Reference, HeldCost: price, DateCreated }
  }

  const answers: Answers = {
    sendSms: ({ body }) => accept(body, 'pending'),
    sendBulkSms: ({ body: { Recipients, ...message } }) =>
      Recipients.map((recipient) => accept({ ...message, ...recipient }, 'pending')),
    scheduleSms({ body: { SendAt, ...message } }) {
      const result = accept(message, 'scheduled')
      dueAt.set(result.Ticket, SendAt)
      return { ...result, SendAt }
    },
    listScheduledSms: () => ({
      Items: messages.filter(({ Status }) => Status === 'scheduled').map(scheduled),
    }),
    cancelScheduledSms({ path }) {
      const message = find(path)
      if (message.Status === 'scheduled') end(path, 'cancelled')
      if (message.Status !== 'cancelled') throw new Refusal({ status: 409, code: 'not_cancellable' })
      return message
    },
    getTransactionStatus: ({ path }) => find(path),
    getMessage: ({ path }) => ({
      ...find(path),
      Segments: 1,
      Encoding: 'GSM-7',
      Country: 'GH',
      Timeline: [{ At: find(path).DateCreated, Event: 'accepted' }],
    }),
    searchMessages: ({ query }) => ({
      Items: messages.filter((message) => fits(message, query)).reverse(),
    }),
    estimateCost: () => ({
      Segments: 1,
      Encoding: 'GSM-7',
      UnitPrice: price,
      Cost: price,
      Currency: currency,
      Country: 'GH',
    }),
    getBalance: () => ({ balance, currency, asOf: time() }),
    listLedger: () => ({ Items: [] }),
    listSenderIds: () => ({ Items: [] }),
    requestSenderId: ({ body: { SenderId } }) => ({ SenderId, Status: 'pending', DateCreated: time() }),
    listKeys: () => ({ Items: [] }),
    rotateKey: ({ path }) => ({
      Id: path,
      Kind: 'client',
      DateCreated: time(),
      Secret: 'new secret',
      OldExpiresAt: time(),
    }),
    getRates: ({ path }) => ({
      Country: path.toUpperCase(),
      Currency: currency,
      DefaultPrice: price,
      Networks: [],
      Sample: true,
    }),
    deliveryInsights({ query: { GroupBy, DateFrom = time(), DateTo = time() } }) {
      const Totals = { Key: 'total', Sent: 0, Delivered: 0, Failed: 0, Pending: 0, Spend: 0 }
      return { GroupBy, DateFrom, DateTo, Currency: currency, Groups: [], Totals }
    },
    listCallbacks: () => ({ Items: [] }),
    replayCallback: ({ path }) => ({
      Id: path,
      Ticket: '',
      Url: '',
      State: 'pending',
      DateCreated: time(),
      Attempts: [],
    }),
    replayFailedCallbacks: () => ({ Replayed: 0, Skipped: 0 }),
  }
  return { answers, messages, end }
}

/** Whether a message has what a filter names. An API client sent each. */
function fits(message: Transaction, query: FakeInput<'searchMessages'>['query']): boolean {
  const filter = { ...query, To: query.To === undefined ? undefined : recipientDigits(query.To) }
  const named = (['Status', 'To', 'From'] as const).every((name) =>
    [undefined, message[name]].includes(filter[name]),
  )
  return named && [undefined, 'api'].includes(filter.SentBy)
}
