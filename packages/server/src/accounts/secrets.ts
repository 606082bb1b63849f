import { hash, randomBytes } from 'node:crypto'

/**
 * The stored hash of a secret or token. One round of a fast hash is enough, because they are long and random and cannot
 * be guessed.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

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
