import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import { packageRoot } from '../../package-root.ts'
import { Packed } from './packed.ts'

/** For programs on any site: the document is public. A new version of the gateway has another one. */
const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

/** Serves the OpenAPI document, as JSON and as YAML. The page at `/docs` is in `web/reference`. */
export function mountReference(app: Hono, publicUrl: string | undefined): void {
  // Without a public address the server URL is relative. Never echo the Host header: the sender controls it, and a
  // cache could serve the result to others.
  const server = { url: publicUrl ?? '/', description: 'This gateway' }
  const json = loadedOnce(async () => {
    const document = JSON.parse(await asset('openapi.json'))
    return new Packed(JSON.stringify({ ...document, servers: [server] }))
  })
  const yaml = loadedOnce(async () => {
    const { url, description } = server
    // A string of JSON is one of YAML too.
    const servers = `servers:\n  - url: ${JSON.stringify(url)}\n    description: ${description}\n`
    return new Packed(`${await asset('openapi.yaml')}${servers}`)
  })
  app.get('/openapi.json', async (c) =>
    (await json()).reply(c, { ...HEADERS, 'content-type': 'application/json' }),
  )
  app.get('/openapi.yaml', async (c) =>
    (await yaml()).reply(c, { ...HEADERS, 'content-type': 'application/yaml' }),
  )
}

function asset(name: string): Promise<string> {
  return readFile(new URL(`assets/${name}`, packageRoot), 'utf8')
}
