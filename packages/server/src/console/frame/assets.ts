import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { packageRoot } from '../../package-root.ts'
import { loadedOnce } from '../../platform/loaded-once.ts'

/** The addresses of the console's stylesheet and scripts. A hash of what is in them is part of their names. */
export interface AssetPaths {
  style: string
  script: string
  /** For the pages that send, beside the other. */
  sendScript: string
}

interface Asset {
  path: string
  type: string
  plain: Uint8Array<ArrayBuffer>
  gzip: Uint8Array<ArrayBuffer>
  br: Uint8Array<ArrayBuffer>
}

const SCRIPT = 'text/javascript; charset=utf-8'
const FILES = {
  style: { name: 'style.css', type: 'text/css; charset=utf-8' },
  script: { name: 'script.js', type: SCRIPT },
  sendScript: { name: 'send.js', type: SCRIPT },
} as const satisfies Record<keyof AssetPaths, { name: string; type: string }>
/** A new version has a new name, so browsers may keep this one. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/** Serves the stylesheet and the scripts under names that change with what is in them. */
export function mountAssets(app: Hono): () => Promise<AssetPaths> {
  const load = loadedOnce(loadAll)

  app.get('/assets/:name', async (c) => {
    const asset = Object.values(await load()).find(({ path }) => path === c.req.path)
    if (!asset) return c.notFound()
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(c.req.header('accept-encoding'), name))
    return c.body(asset[encoding ?? 'plain'], 200, {
      'content-type': asset.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': FOR_GOOD,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  return async () => {
    const { style, script, sendScript } = await load()
    return { style: style.path, script: script.path, sendScript: sendScript.path }
  }
}

async function loadAll(): Promise<Record<keyof AssetPaths, Asset>> {
  const [style, script, sendScript] = await Promise.all([
    assetOf(FILES.style),
    assetOf(FILES.script),
    assetOf(FILES.sendScript),
  ])
  return { style, script, sendScript }
}

async function assetOf({ name, type }: { name: string; type: string }): Promise<Asset> {
  const plain = new Uint8Array(await readFile(new URL(`assets/console/${name}`, packageRoot)))
  const [stem, kind] = name.split('.')
  return {
    path: `/assets/${stem}.${hash('sha256', plain, 'base64url').slice(0, 12)}.${kind}`,
    type,
    plain,
    gzip: new Uint8Array(await promisify(gzip)(plain, { level: 9 })),
    br: new Uint8Array(await promisify(brotliCompress)(plain)),
  }
}

/** Whether a browser takes responses in an encoding. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return new RegExp(`(^|[,\\s])${encoding}([,;\\s]|$)`).test(header ?? '')
}
