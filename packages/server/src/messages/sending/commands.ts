import type { components } from '@wigwag/contract/openapi'
import { invalidFields, type Problem } from '../../kernel/errors.ts'
import type { Principal, WalletPrincipal } from '../../kernel/principal.ts'
import { jsonInSlices } from '../../kernel/process/event-loop.ts'
import type { Call } from '../../net/server/handler.ts'
import { instant, timeOf } from '../../net/server/paging.ts'
import type { NewMessage } from '../index.ts'
import type { SendCommand, SendTime } from './prepare.ts'

/** A checked request, from the API or from a page. */
interface SendRequest<Body> {
  principal: WalletPrincipal
  body: Body
  idempotency: Call<'sendSms'>['idempotency']
}

interface Shared {
  From: string
  Content: string
  CallbackUrl?: string | undefined
  callbackUrl?: string | undefined
}

interface Single extends Shared {
  To: string
  Reference?: string | undefined
}

interface Scheduled extends Single {
  SendAt: string
}

interface Bulk extends Shared {
  Recipients: readonly { To: string; Reference?: string | undefined }[]
}

export function smsCommand(request: SendRequest<Single>): SendCommand {
  return {
    ...single(request),
    operation: 'sendSms',
    render: ([message]) => JSON.stringify(message && sendResult(message)),
  }
}

export function scheduleCommand(request: SendRequest<Scheduled>): SendCommand {
  return {
    ...single(request),
    operation: 'scheduleSms',
    sendAt: sendTime(request.body.SendAt),
    render: ([message]) =>
      JSON.stringify(message && { ...sendResult(message), SendAt: instant(message.sendAt) }),
  }
}

export function sendTime(written: string): SendTime {
  return { at: timeOf(written), pointer: '/SendAt' }
}

/** A bulk, at once, or at a time that only pages can name. */
export function bulkCommand(
  { principal, body, idempotency }: SendRequest<Bulk>,
  sendAt?: string,
): SendCommand {
  return {
    principal,
    operation: sendAt === undefined ? 'sendBulkSms' : 'scheduleSms',
    keysOf: 'sendBulkSms',
    ...(sendAt !== undefined && { sendAt: sendTime(sendAt) }),
    sender: body.From,
    content: body.Content,
    callbackUrl: callbackUrlOf(principal, body),
    recipients: body.Recipients.map(({ To, Reference = '' }) => ({ to: To, reference: Reference })),
    pointerTo: (index) => `/Recipients/${index}/To`,
    idempotency,
    render: (messages) => jsonInSlices(messages, sendResult),
  }
}

function single({
  principal,
  body,
  idempotency,
}: SendRequest<Single>): Omit<SendCommand, 'operation' | 'render'> {
  return {
    principal,
    sender: body.From,
    content: body.Content,
    callbackUrl: callbackUrlOf(principal, body),
    recipients: [{ to: body.To, reference: body.Reference ?? '' }],
    pointerTo: () => '/To',
    idempotency,
  }
}

/** An accepted message in the specification's field names. */
function sendResult({ id, recipient, reference, status }: NewMessage): components['schemas']['SendResult'] {
  return { Cost: 0.0, Destination: recipient, Id: id, Ticket: id, ClientReference: reference, Status: status }
}

/**
 * `CallbackUrl` under either of its names; if both are given, they must agree. An assistant's connection may set none:
 * a callback would carry the message's data to a receiver outside the person's limit on recipients.
 */
function callbackUrlOf(
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
