import { randomBytes } from 'node:crypto'

export { digestOf } from '../platform/secrets/digest.ts'

export function newClientSecret(): string {
  return `ws_${randomText(32)}`
}

export function newWalletToken(cell: string): string {
  return `wt_${inCell(cell)}${randomText(32)}`
}

export function newClientId(cell: string): string {
  return `wc_${inCell(cell)}${randomText(12)}`
}

/** No random text has a full stop, so the name of a cell ends there. */
function inCell(cell: string): string {
  return cell === '' ? '' : `${cell}.`
}

/** A secret to sign callbacks with, in the form of Standard Webhooks. */
export function newCallbackSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
