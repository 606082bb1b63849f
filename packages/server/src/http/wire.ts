import { Problem } from '../domain/errors.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { toDecimal } from '../domain/money.ts'
import type { PageRequest } from '../gateway/cursor.ts'
import type { Message, NewMessage } from '../gateway/message.ts'
import type { components } from '../generated/openapi.ts'

type Schemas = components['schemas']

/** The specification's names on one side, the domain's on the other. */
export function sendResult({ id, recipient, reference, status }: NewMessage): Schemas['SendResult'] {
  return { Cost: 0.0, Destination: recipient, Id: id, Ticket: id, ClientReference: reference, Status: status }
}

export function transaction(message: Message): Schemas['Transaction'] {
  return {
    Type: 'SMS',
    MessageId: message.id,
    Status: message.status,
    Content: message.content,
    To: message.recipient,
    From: message.sender,
    Reference: message.reference,
    Cost: toDecimal(message.cost),
    DateCreated: instant(message.createdAt),
    EffectedAt: instant(message.effectedAt),
    BalanceBefore: toDecimal(message.balanceBefore),
    BalanceAfter: toDecimal(message.balanceAfter),
  }
}

/** A time that the validator has found to be ISO 8601 with `Z` or an offset. */
export function timeOf(text: string): EpochMs
export function timeOf(text: string | undefined): EpochMs | undefined
export function timeOf(text: string | undefined): EpochMs | undefined {
  // A time before 1970 is before everything that is kept here.
  return text === undefined ? undefined : epochMs(Math.max(0, Date.parse(text)))
}

const DEFAULT_PAGE = 50

export function pageRequest({
  Cursor,
  Limit = DEFAULT_PAGE,
}: {
  Cursor?: string
  Limit?: number
}): PageRequest {
  return { cursor: Cursor, limit: Limit }
}

export function nextCursor(next: string | undefined): { NextCursor?: string } {
  return next === undefined ? {} : { NextCursor: next }
}

/** ISO 8601 in UTC, with milliseconds and a trailing Z. */
export function instant(at: number): string {
  return new Date(at).toISOString()
}

/** `CallbackUrl` under either of its names. Both at once must agree: which of them is meant is not ours to guess. */
export function callbackUrlOf(body: { CallbackUrl?: string; callbackUrl?: string }): string | undefined {
  const { CallbackUrl, callbackUrl } = body
  if (CallbackUrl !== undefined && callbackUrl !== undefined && CallbackUrl !== callbackUrl) {
    const detail = 'Expected CallbackUrl or callbackUrl; both came, with different values.'
    throw new Problem('invalid_callback_url', detail, {
      errors: [{ pointer: '/callbackUrl', code: 'invalid_callback_url', detail }],
    })
  }
  return CallbackUrl ?? callbackUrl
}
