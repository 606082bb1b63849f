import { operations } from '@wigwag/contract/operations'
import { expect } from 'vitest'
import type * as z from 'zod'
import type { OperationId } from '../../src/net/server/handler.ts'
import { type Changes, MESSAGE } from '../support/harness.ts'

/** Things of an account that requests can name. */
export interface About {
  ticket: string
  scheduled: string
  callback: string
  key: string
  recipient: string
  sender: string
}

interface Parts {
  parameters?: Record<string, string>
  query?: Record<string, string>
  body?: object
}

const SEND_AT = '2026-02-01T12:00:00+01:00'
const NOTHING: About = {
  ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  scheduled: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  callback: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  key: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  recipient: MESSAGE.To,
  sender: MESSAGE.From,
}

/** A valid request of every operation, about what is one account's. One left out does not compile. */
export const requests = {
  sendSms: () => ({ body: MESSAGE }),
  sendBulkSms: () => ({ body: { From: MESSAGE.From, Content: 'Hello', Recipients: [{ To: MESSAGE.To }] } }),
  getTransactionStatus: ({ ticket }) => ({ parameters: { ticket } }),
  getBalance: () => ({}),
  listLedger: () => ({ query: { Limit: '200' } }),
  searchMessages: ({ recipient, sender }) => ({ query: { To: recipient, From: sender } }),
  getMessage: ({ ticket }) => ({ parameters: { id: ticket } }),
  estimateCost: () => ({ body: { To: MESSAGE.To, Content: 'Hello' } }),
  scheduleSms: () => ({ body: { ...MESSAGE, SendAt: SEND_AT } }),
  listScheduledSms: () => ({ query: { Limit: '200' } }),
  cancelScheduledSms: ({ scheduled }) => ({ parameters: { ticket: scheduled } }),
  listSenderIds: () => ({}),
  requestSenderId: () => ({ body: { SenderId: 'WIGSHOP' } }),
  listKeys: () => ({}),
  rotateKey: ({ key }) => ({ parameters: { id: key }, body: { KeepOldFor: 'P1D' } }),
  getRates: () => ({ parameters: { country: 'GH' } }),
  deliveryInsights: () => ({ query: { GroupBy: 'network' } }),
  listCallbacks: ({ ticket }) => ({ query: { Ticket: ticket } }),
  replayCallback: ({ callback }) => ({ parameters: { id: callback } }),
  replayFailedCallbacks: () => ({ body: { Since: '2026-01-01T00:00:00Z' } }),
} satisfies Record<OperationId, (about: About) => Parts>

export const OPERATIONS = Object.keys(operations) as OperationId[]
export const EXTENSIONS = OPERATIONS.filter((id) => operations[id].extension)

export interface Asked {
  method: string
  path: string
  body?: object
}

/** The request of an operation, put together after the generated table. */
export function requestOf(id: OperationId, about: About = NOTHING): Asked {
  const { method, path } = operations[id]
  const { parameters = {}, query, body }: Parts = requests[id](about)
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const search = query ? `?${new URLSearchParams(query)}` : ''
  return { method, path: filled + search, ...(body ? { body } : {}) }
}

export interface Caller {
  call(method: string, path: string, changes: Changes, body?: object): Promise<Response>
}

export function ask(by: Caller, id: OperationId, changes: Changes = {}, about?: About): Promise<Response> {
  const { method, path, body } = requestOf(id, about)
  return by.call(method, path, changes, body)
}

/** The body of a success, which holds what the document names and nothing else. */
export async function answerOf<T>(
  response: Response | Promise<Response>,
  validator: z.ZodType<T>,
): Promise<T> {
  const { status, headers } = await response
  const answer: unknown = await (await response).json()
  expect([status, headers.get('content-type')], JSON.stringify(answer)).toEqual([200, 'application/json'])
  const parsed = validator.parse(answer)
  expect(parsed).toEqual(answer)
  return parsed
}
