import {
  AuthenticationError,
  type Client,
  type FieldError,
  GatewayError,
  InsufficientFundsError,
  NotFoundError,
  RateLimitError,
  WigwagError,
} from '@wigwag/sdk'
import { wireNames } from './generated/tools.ts'
import type { Identity } from './identity.ts'
import { missingOperation } from './missing-operation.ts'
import type { ToolName } from './tool.ts'
import { ToolError } from './tool-error.ts'

/** For a look that only makes an error clearer. */
const briefly = { retries: 0, timeout: 5_000 }

/** Whom an error is explained to. */
type Listener = Pick<Identity, 'client' | 'portal'>

/** What the model is told of an error, so that it can correct itself; undefined when it is a fault of ours. */
export async function explain(error: unknown, tool: ToolName, to: Listener): Promise<string | undefined> {
  if (error instanceof ToolError) return error.message
  if (!(error instanceof WigwagError)) return undefined
  const missing = missingOperation(error)
  const said = missing
    ? [`This gateway does not have ${missing}.`]
    : [error instanceof GatewayError ? detailOf(error) : error.message, await advice(error, tool, to)]
  return [unpriced(error, tool), ...said].filter(Boolean).join(' ')
}

/** Before a send, a limit may ask for the price: then it is not the send that failed. */
function unpriced({ operation }: WigwagError, tool: ToolName): string {
  const isBeforeSend = operation === 'estimateCost' && tool !== 'estimate_cost'
  return isBeforeSend ? 'Nothing was sent: a limit needs the price, which was not to be had.' : ''
}

async function advice(error: WigwagError, tool: ToolName, { client, portal }: Listener): Promise<string> {
  if (error.uncertain && error.idempotencyKey) return doubt(error.idempotencyKey)
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

/** The gateway's own words, without the operation and the status that the SDK puts before them. */
function detailOf({ body, message }: GatewayError): string {
  const isProblem = typeof body === 'object' && body !== null && 'detail' in body
  return isProblem && typeof body.detail === 'string' ? body.detail : message
}

function doubt(key: string): string {
  return (
    `It is not known whether the message went out. Call again with the same arguments and idempotency_key ${key}: ` +
    'then one message goes out at most.'
  )
}

function pause(seconds: number | undefined): string {
  return seconds === undefined ? 'Try again in a moment.' : `Try again in ${seconds} s.`
}

/** A refusal already names the balance when it is ours; another gateway's may not. */
async function funds(client: Client): Promise<string> {
  const found = await attempt(() => client.getBalance(briefly))
  return found ? `The wallet can spend ${found.balance} ${found.currency}; a person has to top it up.` : ''
}

async function senders(client: Client): Promise<string> {
  const approved = await attempt(async () => {
    const { Items } = await client.listSenderIds(briefly)
    return Items.filter(({ Status }) => Status === 'approved').map(({ SenderId }) => SenderId)
  })
  const which = approved?.length ? `Approved: ${approved.slice(0, 20).join(', ')}. ` : ''
  return `${which}Call list_sender_ids to see every sender ID and its status.`
}

/** What can't be looked up is left out: the error that is explained matters more than why. */
async function attempt<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await look()
  } catch {
    return undefined
  }
}

/** A refused field by the name that the tool gives it. */
function fieldLine({ pointer, detail }: FieldError, tool: ToolName): string {
  const wire = pointer.replace(/^\//, '')
  const argument = Object.entries(wireNames[tool]).find(([, name]) => name === wire)?.[0]
  return `\n- ${argument ?? wire}: ${detail}`
}
