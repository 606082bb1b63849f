import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import { packageRoot } from '../../package-root.ts'
import { accepts } from './body.ts'

/** The page contacts no other hosts: no fonts, no telemetry, no proxy for trial requests. */
const settings = {
  url: '/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  customCss: '.markdown th, .markdown td code { white-space: nowrap; word-break: normal }',
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Security headers for the page and its script. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wigwag Messaging API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script id="api-reference" data-url="/openapi.json" data-configuration='${JSON.stringify(settings)}'></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`

const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * Serves the OpenAPI document at `/openapi.json` and the API reference at `/docs`, which a script in this package renders
 * from it.
 */
export function mountReference(app: Hono, publicUrl: string | undefined): void {
  // Without a public address the server URL is relative. Never echo the Host header: the sender controls it, and a
  // cache could serve the result to others.
  const servers = [{ url: publicUrl ?? '/', description: 'This gateway' }]
  const document = loadedOnce(async () => {
    const text = await readFile(new URL('assets/openapi.json', packageRoot), 'utf8')
    return JSON.stringify({ ...JSON.parse(text), servers })
  })
  const plain = loadedOnce(
    async () => new Uint8Array(await readFile(new URL('assets/reference.js', packageRoot))),
  )
  // In a thread, and once a process: it takes a tenth of a second, and less than a third of four megabytes is left.
  const packed = loadedOnce(async () => new Uint8Array(await promisify(gzip)(await plain())))

  app.get('/openapi.json', async (c) => c.body(await document(), 200, JSON_TYPE))
  app.get('/docs', (c) => c.html(page, 200, { ...HEADERS, 'content-security-policy': POLICY }))
  app.get('/docs/reference.js', async (c) => {
    const isPacked = accepts(c.req.header('accept-encoding'), 'gzip')
    return c.body(await (isPacked ? packed() : plain()), 200, {
      ...HEADERS,
      'content-type': 'text/javascript; charset=utf-8',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=3600',
    })
  })
}
