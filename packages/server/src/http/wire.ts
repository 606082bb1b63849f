import { Problem } from '../domain/errors.ts'
import { toDecimal } from '../domain/money.ts'
import type { components } from '../generated/openapi.ts'
import type { Message } from '../gateway/message.ts'

type Schemas = components['schemas']

/** The specification's names on one side, the domain's on the other. */
export function sendResult({ id, recipient, reference, status }: Message): Schemas['SendResult'] {
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
