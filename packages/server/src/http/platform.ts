import type { Hono } from 'hono'
import document from '../generated/document.json' with { type: 'json' }

export interface PlatformOptions {
  /** Whether requests are taken now; false once a stop began. */
  ready(): boolean | Promise<boolean>
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** What is served beside the contract: whether the process lives and takes requests, and the contract itself. */
export function mountPlatform(app: Hono, { ready }: PlatformOptions): void {
  const openapi = JSON.stringify(document)
  const anywhere = document.servers[0]?.variables.baseUrl.default ?? ''
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) =>
    (await ready())
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready' }, 503, { 'retry-after': '1' }),
  )
  // The document names the very gateway that it was fetched from, so that what is tried out from it goes there.
  app.get('/openapi.json', (c) =>
    c.body(openapi.replace(anywhere, new URL(c.req.url).origin), 200, JSON_TYPE),
  )
}
