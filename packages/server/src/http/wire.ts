import type { Problem } from '../domain/errors.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { toDecimal } from '../domain/money.ts'
import type { PageRequest } from '../gateway/cursor.ts'
import type { Message, NewMessage } from '../gateway/message.ts'
import { invalidFields } from '../gateway/prepare.ts'
import type { Principal } from '../gateway/principal.ts'
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

/**
 * `CallbackUrl` under either of its names. Both at once must agree: which of them is meant is not ours to guess. An
 * assistant's connection sets none: a callback tells its receiver what was sent, past the person's limit on recipients.
 */
export function callbackUrlOf(
  { connection }: Principal,
  body: { CallbackUrl?: string; callbackUrl?: string },
): string | undefined {
  const { CallbackUrl, callbackUrl } = body
  const url = CallbackUrl ?? callbackUrl
  if (connection && url !== undefined) {
    throw invalidCallbackUrl(
      CallbackUrl === undefined ? '/callbackUrl' : '/CallbackUrl',
      "Expected no callback URL from an assistant's connection: only the account's own API credentials may name who is " +
        'called. Leave it out.',
    )
  }
  if (callbackUrl !== undefined && url !== callbackUrl) {
    throw invalidCallbackUrl(
      '/callbackUrl',
      'Expected CallbackUrl or callbackUrl; both came, with different values.',
    )
  }
  return url
}

function invalidCallbackUrl(pointer: string, detail: string): Problem {
  return invalidFields([{ pointer, code: 'invalid_callback_url', detail }])
}
