import { wireNames } from '@wigwag/contract/tools'
import {
  AuthenticationError,
  type Client,
  type FieldError,
  GatewayError,
  InsufficientFundsError,
  NotFoundError,
  type OperationId,
  RateLimitError,
  ValidationError,
  WigwagError,
} from '@wigwag/sdk'
import { ToolError } from '../tool-error.ts'
import type { Identity, ToolName } from './tool.ts'

/** For look-ups that only make an error clearer. */
const BRIEFLY = { retries: 0, timeout: 5_000 }

type Listener = Pick<Identity, 'client' | 'portal'>

/** What the model is told about an error, so that it can correct itself; undefined when the fault is ours. */
export async function explain(error: unknown, tool: ToolName, to: Listener): Promise<string | undefined> {
  if (error instanceof ToolError) return error.message
  if (!(error instanceof WigwagError)) return undefined
  const missing = missingOperation(error)
  const said = missing
    ? [`This gateway does not have ${missing}.`]
    : [error instanceof GatewayError ? detailOf(error) : error.message, await advice(error, tool, to)]
  return [unpriced(error, tool), ...said].filter(Boolean).join(' ')
}

/** A limit, or the question to the person, may need the price before a send. If that fails, nothing was sent. */
function unpriced({ operation }: WigwagError, tool: ToolName): string {
  const isBeforeSend = operation === 'estimateCost' && tool !== 'estimate_cost'
  return isBeforeSend ? 'Nothing was sent: the price is needed first, and asking for it failed.' : ''
}

async function advice(error: WigwagError, tool: ToolName, { client, portal }: Listener): Promise<string> {
  if (error.uncertain && error.idempotencyKey) return repeatWith(error.idempotencyKey)
  if (error instanceof AuthenticationError) {
    if (portal) return 'The connection has ended; a person has to connect again.'
    return "A person has to correct the connection's credentials."
  }
  if (error instanceof InsufficientFundsError) return `Nothing was sent. ${await funds(client)}`.trim()
  if (error instanceof RateLimitError) return pause(error.retryAfter)
  if (error instanceof NotFoundError)
    return 'Check the id; search_messages finds the messages of this wallet.'
  if (!(error instanceof GatewayError)) return 'The gateway could not be reached; try again in a moment.'
  if (error.code === 'limit_reached' || error.code === 'recipient_not_allowed') {
    return `Nothing was sent. Only the person can change what this connection may do${portal ? `, at ${portal}` : ''}.`
  }
  if (error.code === 'insufficient_scope') {
    return `Nothing was done. Only the person can allow ${tool}, by connecting again.`
  }
  if (error.code === 'sender_not_approved') return `Nothing was sent. ${await senders(client)}`
  if (error.errors.length > 0) return error.errors.map((field) => fieldLine(field, tool)).join('')
  if (error.status >= 500) return 'Try again in a moment.'
  return ''
}

/** The gateway's own text, without the operation and the status that the SDK puts before it. */
function detailOf({ body, message }: GatewayError): string {
  const isProblem = typeof body === 'object' && body !== null && 'detail' in body
  return isProblem && typeof body.detail === 'string' ? body.detail : message
}

function repeatWith(key: string): string {
  return (
    `It is not known whether the message went out. Call again with the same arguments and idempotency_key ${key}: ` +
    'then at most one message goes out.'
  )
}

function pause(seconds: number | undefined): string {
  return seconds === undefined ? 'Try again in a moment.' : `Try again in ${seconds} s.`
}

/** Our gateway's refusal already names the balance; another gateway's may not. */
async function funds(client: Client): Promise<string> {
  const found = await ifAvailable(() => client.getBalance(BRIEFLY))
  return found ? `The wallet can spend ${found.balance} ${found.currency}; a person has to top it up.` : ''
}

async function senders(client: Client): Promise<string> {
  const approved = await ifAvailable(async () => {
    const { Items } = await client.listSenderIds(BRIEFLY)
    return Items.filter(({ Status }) => Status === 'approved').map(({ SenderId }) => SenderId)
  })
  const which = approved?.length ? `Approved: ${approved.slice(0, 20).join(', ')}. ` : ''
  return `${which}Call list_sender_ids to see every sender ID and its status.`
}

/** A look-up that fails is left out: the error being explained matters more. */
async function ifAvailable<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await look()
  } catch {
    return undefined
  }
}

/** A refused field, under the tool's name for it. */
function fieldLine({ pointer, detail }: FieldError, tool: ToolName): string {
  const wire = pointer.replace(/^\//, '')
  const argument = Object.entries(wireNames[tool]).find(([, name]) => name === wire)?.[0]
  return `\n- ${argument ?? wire}: ${detail}`
}

/** The operations that a gateway may lack, because the specification does not require them. */
export const extensions: Partial<Record<OperationId, string>> = {
  searchMessages: 'GET /v1/messages',
  getMessage: 'GET /v1/messages/{id}',
  estimateCost: 'POST /v1/messages/sms/estimate',
  scheduleSms: 'POST /v1/messages/sms/scheduled',
  cancelScheduledSms: 'DELETE /v1/messages/sms/scheduled/{ticket}',
  listSenderIds: 'GET /v1/account/sender-ids',
  getRates: 'GET /v1/rates/{country}',
  deliveryInsights: 'GET /v1/insights/delivery',
}

/**
 * The operation that the gateway does not have, with its method and path; undefined for any other error. A 404 without
 * our error code counts as a missing operation, since it does not say what was not found.
 */
export function missingOperation(error: unknown): string | undefined {
  if (!(error instanceof GatewayError)) return undefined
  const { operation, status, code } = error
  const place = extensions[operation]
  const isMissing =
    code === 'route_not_found' || status === 405 || status === 501 || (status === 404 && !isOurs(code))
  return place && isMissing ? `${operation} (${place})` : undefined
}

/** Whether the arguments name something that does not exist for this connection. */
export function namesNothing(error: unknown): boolean {
  if (missingOperation(error)) return false
  return [ToolError, NotFoundError, ValidationError].some((kind) => error instanceof kind)
}

function isOurs(code: string | undefined): boolean {
  return code === 'transaction_not_found'
}
