import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { HttpContext } from '../server/body.ts'
import { STYLESHEET } from './stylesheet.ts'

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every page: no scripts, no external resources, no framing, no caching. */
export const PAGE_HEADERS: Record<string, string> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  // With no-referrer, browsers would also hide the Origin of our own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

export interface ReplyOptions {
  status?: number
  /** A Set-Cookie value, if there is one. */
  setCookie?: string | undefined
  headers?: Record<string, string>
}

/** The response that carries a page. */
export function pageReply(page: string, { status = 200, setCookie, headers }: ReplyOptions = {}): Response {
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return new Response(page, {
    status,
    headers: { ...PAGE_HEADERS, ...type, ...cookie(setCookie), ...headers },
  })
}

/** Redirects a browser after a form post to one of our paths. */
export function goTo(path: string, setCookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...PAGE_HEADERS, location: path, ...cookie(setCookie) },
  })
}

/** Has a browser send the form that it just sent to another of our paths. */
export function carryOn(path: string): Response {
  return new Response(null, { status: 307, headers: { ...PAGE_HEADERS, location: path } })
}

/** The Retry-After header, in seconds, if known. */
export function retryHeader(retryAfter: number | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
}

function cookie(setCookie: string | undefined): Record<string, string> {
  return setCookie === undefined ? {} : { 'set-cookie': setCookie }
}

/** An answer with the cookie that must reach the browser, if there is one. */
export function withKept(c: PageContext, response: Response): Response {
  const cookie = c.get('keptCookie')
  if (cookie !== undefined) response.headers.append('set-cookie', cookie)
  return response
}

/** The context of a page: includes Node's own request when the request came over a socket. */
export type PageContext = Context<{
  Bindings: HttpContext['env']
  /** A Set-Cookie value that must reach the browser with any answer, also when the page fails. */
  Variables: { keptCookie?: string }
}>
