import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { accepts } from '../platform/http/encoding.ts'
import { PAGE_HEADERS, type PageContext, type ReplyOptions } from '../platform/pages/reply.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Every page may load our own scripts and stylesheet, and nothing else. */
const HEADERS: Record<string, string> = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY,
}

/** The response that carries a page with assets, compressed for browsers that take it so. */
export async function assetPageReply(
  c: PageContext,
  page: string,
  { status = 200, setCookie, headers }: ReplyOptions = {},
): Promise<Response> {
  const isPacked = accepts(c.req.header('accept-encoding'), 'gzip')
  return new Response(isPacked ? new Uint8Array(await promisify(gzip)(page)) : page, {
    status,
    headers: {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-encoding, cookie',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
      ...headers,
    },
  })
}
