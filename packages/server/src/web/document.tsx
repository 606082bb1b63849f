import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { raw } from 'hono/html'
import { type Markup, render } from '../net/pages/markup.ts'
import { PAGE_HEADERS, type PageContext, type ReplyOptions } from '../net/pages/reply.ts'
import { accepts } from '../net/server/body.ts'
import type { Theme } from './theme.tsx'

/** The middle of the flag in a tab's icon, to tell open tabs apart. */
export const HEARTS = {
  real: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='%23c8321f'/%3E",
  sandbox: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='none' stroke='%23c8321f' stroke-width='3'/%3E",
  desk: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='%232b3f8f'/%3E",
}

const ICON_START =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='1.5' y='1.5' width='21' height='21' rx='3' fill='%23fff' stroke='%237d868d'/%3E"
const ICON_END = '%3C/svg%3E'

export interface PageDocument {
  title: string
  /** Stands behind every title. */
  site: string
  heart: string
  /** The addresses of the stylesheet and the scripts. */
  style: string
  scripts: readonly string[]
  theme: Theme | undefined
}

/** A whole page: its head, and a body. */
export function documentOf(
  { title, site, heart, style, scripts, theme }: PageDocument,
  body: Markup,
): string {
  const icon = raw(`${ICON_START}${heart}${ICON_END}`)
  return render(
    <>
      {raw('<!doctype html>')}
      <html lang="en" data-theme={theme}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>
            {title} · {site}
          </title>
          <link rel="icon" href={icon} />
          <link rel="stylesheet" href={style} />
          {scripts.map((script) => (
            <script src={script} defer />
          ))}
        </head>
        <body>{body}</body>
      </html>
    </>,
  )
}

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
export const HTML_HEADERS: Record<string, string> = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY,
  'content-type': 'text/html; charset=utf-8',
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
      ...HTML_HEADERS,
      vary: 'accept-encoding, cookie',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
      ...headers,
    },
  })
}
