import { hash } from 'node:crypto'
import { Problem } from '../domain/errors.ts'

const VISIBLE = /^[!-~]{1,255}$/

/** The request's idempotency key, when it has one. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (VISIBLE.test(header)) return header
  throw new Problem(
    'invalid_idempotency_key',
    `Expected 1 to 255 visible ASCII characters; got ${header.length > 255 ? `${header.length} characters` : 'others'}.`,
  )
}

/** Tells two bodies apart. The bytes count, not what they mean: a repeat is the same request sent again. */
export function fingerprintOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64url')
}
