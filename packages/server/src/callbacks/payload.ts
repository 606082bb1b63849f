import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { toDecimal } from '@wigwag/contract'
import type { DueCallback } from './rows.ts'

/** What a callback reports of its final message. */
export type Reported = Pick<
  DueCallback,
  'reference' | 'ticket' | 'recipient' | 'cost' | 'balanceBefore' | 'balanceAfter' | 'status'
>

/** The seven specified fields. A final message never changes, so every attempt posts the same bytes. */
export function callbackPayload(callback: Reported): string {
  return JSON.stringify({
    ClientReference: callback.reference,
    Ticket: callback.ticket,
    Destination: callback.recipient,
    Cost: toDecimal(callback.cost),
    BalanceBefore: toDecimal(callback.balanceBefore),
    BalanceAfter: toDecimal(callback.balanceAfter),
    Status: callback.status,
  })
}

const PREFIX = 'whsec_'

/** The key in a secret. Made once and kept: making it takes longer than signing with it. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
}

/** The Standard Webhooks headers of one attempt. One signature per key, so that a rotation breaks no receiver. */
export function signatureHeaders(
  keys: readonly KeyObject[],
  { id, payload, now }: { id: string; payload: string; now: number },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signed = `${id}.${timestamp}.${payload}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${sign(key, signed)}`).join(' '),
  }
}

function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}
