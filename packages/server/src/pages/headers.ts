import { createHash } from 'node:crypto'
import { STYLESHEET } from './stylesheet.ts'

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What every page is sent with. It runs nothing, loads nothing, is framed by nobody and kept nowhere. */
export const PAGE_HEADERS: Record<string, string> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  // With no-referrer, browsers would hide the Origin of our own forms as well.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}
