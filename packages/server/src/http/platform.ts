import type { Hono } from 'hono'
import document from '../generated/document.json' with { type: 'json' }

export interface PlatformOptions {
  /** Whether requests are taken now; false once a stop began. */
  ready(): boolean | Promise<boolean>
  /** Where the world reaches the gateway, when that is set. */
  publicUrl: string | undefined
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** What is served beside the contract: whether the process lives and takes requests, and the contract itself. */
export function mountPlatform(app: Hono, { ready, publicUrl }: PlatformOptions): void {
  // Without a public address the document names the place that it was fetched from. The Host header is never repeated:
  // its sender chose it, and a cache would hand it to others.
  const servers = [{ url: publicUrl ?? '/', description: 'This gateway' }]
  const openapi = JSON.stringify({ ...document, servers })
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) =>
    (await ready())
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready' }, 503, { 'retry-after': '1' }),
  )
  app.get('/openapi.json', (c) => c.body(openapi, 200, JSON_TYPE))
}
