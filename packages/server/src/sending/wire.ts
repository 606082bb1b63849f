import type { components } from '@wigwag/contract/openapi'
import { invalidFields, type Problem } from '../domain/errors.ts'
import type { NewMessage } from '../messages/index.ts'
import type { Principal } from '../platform/http/principal.ts'

type Schemas = components['schemas']

/** An accepted message in the specification's field names. */
export function sendResult({ id, recipient, reference, status }: NewMessage): Schemas['SendResult'] {
  return { Cost: 0.0, Destination: recipient, Id: id, Ticket: id, ClientReference: reference, Status: status }
}

/**
 * `CallbackUrl` under either of its names; if both are given, they must agree. An assistant's connection may set none:
 * a callback would carry the message's data to a receiver outside the person's limit on recipients.
 */
export function callbackUrlOf(
  { connection }: Principal,
  body: { CallbackUrl?: string | undefined; callbackUrl?: string | undefined },
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
