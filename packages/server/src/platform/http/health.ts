import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { packageRoot } from '../../package-root.ts'
import { loadedOnce } from '../loaded-once.ts'

export interface PlatformOptions {
  /** Whether requests can be answered. False during shutdown, and while the store takes no writes. */
  ready(): boolean | Promise<boolean>
  /** The gateway's public address, if set. */
  publicUrl: string | undefined
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Serves `/livez`, `/readyz` and `/openapi.json`. */
export function mountPlatform(app: Hono, { ready, publicUrl }: PlatformOptions): void {
  // Without a public address the server URL is relative. Never echo the Host header: the sender controls it, and a
  // cache could serve the result to others.
  const servers = [{ url: publicUrl ?? '/', description: 'This gateway' }]
  const document = loadedOnce(async () => {
    const text = await readFile(new URL('assets/openapi.json', packageRoot), 'utf8')
    return JSON.stringify({ ...JSON.parse(text), servers })
  })
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) =>
    (await ready())
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready' }, 503, { 'retry-after': '1' }),
  )
  app.get('/openapi.json', async (c) => c.body(await document(), 200, JSON_TYPE))
}
