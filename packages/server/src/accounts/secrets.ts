import { randomBytes } from 'node:crypto'

export { digestOf } from '../platform/secrets/digest.ts'

export function newClientSecret(): string {
  return `ws_${randomText(32)}`
}

export function newWalletToken(): string {
  return `wt_${randomText(32)}`
}

export function newClientId(): string {
  return `wc_${randomText(12)}`
}

/** A secret to sign callbacks with, in the form of Standard Webhooks. */
export function newCallbackSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
