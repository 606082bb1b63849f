import { visible } from '@wigwag/contract'
import { wireNames } from '@wigwag/contract/tools'
import {
  type FieldError,
  GatewayError,
  NotFoundError,
  type OperationId,
  TimeoutError,
  ValidationError,
  WigwagError,
} from '@wigwag/sdk'
import { misfit, type Refusal, sentenceOf, ToolError } from '../refusal.ts'
import type { Identity, ToolName } from './tool.ts'

/** The tools that write: their operation, and how a sentence begins when it was not carried out, or may have been. */
const WRITES: Partial<Record<ToolName, { operation: OperationId; undone: string; unknown: string }>> = {
  send_sms: {
    operation: 'sendSms',
    undone: 'Nothing was sent',
    unknown: 'It is not known whether the message went out',
  },
  schedule_sms: {
    operation: 'scheduleSms',
    undone: 'Nothing was sent',
    unknown: 'It is not known whether the message was scheduled',
  },
  cancel_scheduled: {
    operation: 'cancelScheduledSms',
    undone: 'Nothing was cancelled',
    unknown: 'It is not known whether the message was cancelled',
  },
}

/** How a sentence begins about a call of a tool that writes and was not carried out. */
export function undone(tool: ToolName): string {
  return WRITES[tool]?.undone ?? 'Nothing was done'
}

/** Explains an error to the model so that it can correct itself; undefined when the fault is ours. */
export function explain(error: unknown, tool: ToolName, who: Pick<Identity, 'portal'>): string | undefined {
  if (error instanceof ToolError) return error.message
  return error instanceof WigwagError ? sentenceOf(refusalOf(error, tool, who)) : undefined
}

function refusalOf(error: WigwagError, tool: ToolName, { portal }: Pick<Identity, 'portal'>): Refusal {
  const write = WRITES[tool]
  const outcome = write?.undone
  const missing = missingOperation(error)
  if (missing) return { outcome, why: `this gateway does not have ${missing}`, todo: `do without ${tool}` }
  const code = error instanceof GatewayError ? error.code : undefined
  if (code === 'idempotency_key_reused') {
    const why = 'the idempotency_key was used for another message'
    return { outcome, why, todo: 'use a new key for a new message' }
  }
  // Only the write itself can leave doubt: a failed question before it, such as for the price, wrote nothing.
  if (error.uncertain && write?.operation === error.operation) {
    return { outcome: write.unknown, why: causeOf(error), todo: repeatWith(error.idempotencyKey) }
  }
  if (!(error instanceof GatewayError)) return { outcome, why: causeOf(error), todo: AGAIN }
  const isLimit = code === 'limit_reached' || code === 'recipient_not_allowed'
  if (!isLimit && error.errors.length > 0) {
    return misfit(
      tool,
      outcome,
      error.errors.map((field) => fieldLine(field, tool)),
    )
  }
  return { outcome, why: causeOf(error, portal), todo: todoOf(error, tool, portal) }
}

const AGAIN = 'try again in a moment'

/** Without a key, a repeat does no harm: a message is cancelled once. */
function repeatWith(key: string | undefined): string {
  if (key === undefined) return 'call again to find out'
  return `call again with the same arguments and idempotency_key ${key}: then at most one message goes out`
}

function todoOf(error: GatewayError, tool: ToolName, portal: string | undefined): string {
  const { code, status, retryAfter } = error
  switch (code) {
    case 'account_suspended':
      return 'ask the person to talk to the operator of the gateway'
    case 'insufficient_funds':
      return 'ask the person to have the wallet topped up'
    case 'sender_not_approved':
      return 'use a sender ID that list_sender_ids shows as approved'
    case 'limit_reached':
      return `wait for the next day in UTC, or ask the person to raise the limit${at(portal)}`
    case 'recipient_not_allowed':
      return `ask the person to allow this recipient${at(portal)}`
    case 'insufficient_scope':
      return `ask the person to connect again and allow ${tool}`
    case 'scheduled_elsewhere':
      return 'ask the person to cancel it on the page Scheduled'
    case 'not_cancellable':
      return 'follow it with get_message_status'
    default:
  }
  if (status < 400) return 'ask a person to look after the gateway'
  if (status === 401) return portal ? 'ask the person to connect again' : CORRECT_CREDENTIALS
  if (code === 'wallet_forbidden') return CORRECT_CREDENTIALS
  if (status === 404) return 'check the id, or find the message with search_messages'
  if (status >= 500 || status === 429 || status === 408) {
    return retryAfter === undefined ? AGAIN : `try again in ${retryAfter} s`
  }
  return 'correct the call, or tell the person'
}

const CORRECT_CREDENTIALS = "ask a person to correct the connection's credentials"

function at(portal: string | undefined): string {
  return portal === undefined ? '' : ` at ${portal}`
}

/** Why a call failed, as a part of a sentence: in the gateway's words, unless those are for a program. */
function causeOf(error: WigwagError, portal?: string): string {
  if (!(error instanceof GatewayError)) {
    const silent = error instanceof TimeoutError ? 'did not answer in time' : 'could not be reached'
    return `the gateway ${silent} (${visible(withoutOperation(error))})`
  }
  const { status, code, requestId } = error
  if (status < 400) return `the answer of the gateway can not be used (${visible(withoutOperation(error))})`
  if (status === 401) return portal ? 'the connection has ended' : 'the gateway refused the credentials'
  if (status === 429) return 'the gateway takes no more requests at the moment'
  if (code === 'unavailable') return 'the gateway can not take the call at the moment'
  if (code === 'scheduled_elsewhere') return 'this connection did not schedule the message'
  if (code === 'idempotency_in_progress') return 'an earlier call with this idempotency_key is still running'
  if (status >= 500)
    return `the gateway failed with ${status}${requestId ? `, at its request ${requestId}` : ''}`
  return clause(detailOf(error))
}

/** The gateway's own text, without the operation and the status that the SDK puts before it. */
function detailOf(error: GatewayError): string {
  const { body } = error
  const isProblem = typeof body === 'object' && body !== null && 'detail' in body
  return isProblem && typeof body.detail === 'string'
    ? body.detail
    : `the gateway answered ${withoutOperation(error)}`
}

function withoutOperation({ message, operation }: WigwagError): string {
  return message.replace(`${operation}: `, '')
}

/** Turns foreign sentences into a part of ours: `Sender 'A' is pending. Use B.` becomes `sender 'A' is pending; use B`. */
function clause(text: string): string {
  return visible(text)
    .replace(/[.\s]+$/, '')
    .split(/\.\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase()))
    .join('; ')
}

/** A refused field, under the tool's name for it. */
function fieldLine({ pointer, detail }: FieldError, tool: ToolName): string {
  const wire = pointer.replace(/^\//, '')
  const argument = Object.entries(wireNames[tool]).find(([, name]) => name === wire)?.[0]
  return `${argument ?? wire}: ${visible(detail)}`
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
