import { toBase64 } from './base64.ts'

/** Why there is nothing to verify: parsing discards the received bytes, which the signature covers. */
export const BODY_GONE =
  'Expected the raw body of the callback; it was read before. Mount the handler before body parsers such as ' +
  'express.json(), or keep the bytes as request.rawBody.'

/** The longest body that is read, in bytes. A callback has a few hundred. */
export const longestBody = 65_536

/**
 * A body as it was received, not parsed.
 * @example
 * import { parseCallback, type RawBody } from '@wigwag/sdk'
 * const ticketOf = async (body: RawBody) => (await parseCallback(body)).Ticket
 */
export type RawBody = string | Uint8Array | ArrayBuffer

/**
 * A callback secret, `whsec_<base64>`; two while one is being replaced.
 * @example
 * import type { CallbackSecret } from '@wigwag/sdk'
 * const secret: CallbackSecret = ['whsec_bmV3', 'whsec_b2xk']
 */
export type CallbackSecret = string | readonly string[]

export function toBytes(body: RawBody): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The signature of `<id>.<timestamp>.<body>` after Standard Webhooks, written `v1,<base64>`. */
export async function sign(key: CryptoKey, id: string, timestamp: string, body: RawBody): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, concat([toBytes(`${id}.${timestamp}.`), toBytes(body)]))
  return `v1,${toBase64(new Uint8Array(mac))}`
}

/** The keys of `whsec_<base64>` secrets. A malformed one is a configuration error, not a bad callback: a TypeError. */
export async function importKeys(secrets: CallbackSecret): Promise<CryptoKey[]> {
  const keys = [secrets].flat().map((secret) => {
    const bytes = decodeSecret(secret)
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  })
  if (keys.length === 0) throw new TypeError('Expected at least one callback secret; got an empty list.')
  return Promise.all(keys)
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0))
    if (bytes.length) return bytes
  } catch {}
  throw new TypeError('Expected a callback secret of the form whsec_<base64>.')
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
