import type { Hono } from 'hono'
import document from '../generated/document.json' with { type: 'json' }

export interface PlatformOptions {
  /** Whether requests are taken now; false once a stop began. */
  ready(): boolean | Promise<boolean>
}

/** What is served beside the contract: whether the process lives and takes requests, and the contract itself. */
export function mountPlatform(app: Hono, { ready }: PlatformOptions): void {
  const openapi = JSON.stringify(document)
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) =>
    (await ready()) ? c.json({ status: 'ready' }) : c.json({ status: 'not ready' }, 503, { 'retry-after': '1' }),
  )
  app.get('/openapi.json', () => new Response(openapi, { headers: { 'content-type': 'application/json' } }))
}
