import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import type { PageContext } from '../../net/pages/reply.ts'
import { Packed } from '../../net/server/packed.ts'
import { packageRoot } from '../../package-root.ts'
import type { Sandbox } from '../../sandbox/index.ts'
import { mountAssets, script, stylesheet } from '../assets.ts'
import { HTML_HEADERS } from '../document.tsx'
import { type Theme, themeOf } from '../theme.tsx'
import { isFromThisMachine } from '../this-machine.ts'
import type { ApiDocument } from './document.ts'
import { DEMO_PATH, referencePage } from './page.tsx'

const ASSETS = { style: stylesheet('reference-style.css'), script: script('reference.js') } as const

/** The page is the same for everybody, so it holds no secret; browsers ask whether theirs is still the newest. */
const HEADERS = { ...HTML_HEADERS, vary: 'accept-encoding, cookie', 'cache-control': 'no-cache' }

const OF_ONE_BROWSER = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

interface ReferenceParts {
  /** Undefined in production. */
  sandbox: Pick<Sandbox, 'demoSecrets'> | undefined
  /** The address that a request came from. */
  addressOf(c: PageContext): string
}

/** Serves the API reference at `/docs`, with forms that send requests to this gateway. */
export function mountReferencePage(app: Hono, { sandbox, addressOf }: ReferenceParts): void {
  const assets = mountAssets(app, ASSETS)
  const pageIn = (theme: Theme | undefined) =>
    loadedOnce(async () => {
      const parts = { document: await readDocument(), assets: await assets() }
      return new Packed(referencePage({ ...parts, theme, isSandbox: sandbox !== undefined }))
    })
  const pages = { system: pageIn(undefined), light: pageIn('light'), dark: pageIn('dark') }
  app.get('/docs', async (c: PageContext) => (await pages[themeOf(c) ?? 'system']()).reply(c, HEADERS))
  if (!sandbox) return
  // Another site can have its own name point to this machine, and another machine can send any name: neither gets these.
  app.get(DEMO_PATH, async (c: PageContext) => {
    const isHere = isFromThisMachine((name) => c.req.header(name), addressOf(c))
    const demo = isHere ? await sandbox.demoSecrets() : undefined
    if (!demo) return c.body(null, 204, OF_ONE_BROWSER)
    const { clientId, clientSecret, walletToken } = demo
    return c.json({ clientId, clientSecret, walletToken }, 200, OF_ONE_BROWSER)
  })
}

async function readDocument(): Promise<ApiDocument> {
  return JSON.parse(await readFile(new URL('assets/openapi.json', packageRoot), 'utf8'))
}
