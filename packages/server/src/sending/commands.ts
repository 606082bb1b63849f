import type { Call } from '../platform/http/handler.ts'
import { instant, timeOf } from '../platform/http/paging.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { jsonInSlices } from './json-in-slices.ts'
import type { SendCommand, SendTime } from './prepare.ts'
import { callbackUrlOf, sendResult } from './wire.ts'

/** A checked request, from the API or from a page. */
export interface SendRequest<Body> {
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

export function bulkCommand({ principal, body, idempotency }: SendRequest<Bulk>): SendCommand {
  return {
    principal,
    operation: 'sendBulkSms',
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
