import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { packageRoot } from '../package-root.ts'
import { loadedOnce } from '../platform/loaded-once.ts'

/** A file of `assets/console/`. */
export interface AssetFile {
  name: string
  type: string
}

interface Asset {
  path: string
  type: string
  plain: Uint8Array<ArrayBuffer>
  gzip: Uint8Array<ArrayBuffer>
  br: Uint8Array<ArrayBuffer>
}

const SCRIPT = 'text/javascript; charset=utf-8'

export const script = (name: string): AssetFile => ({ name, type: SCRIPT })
export const stylesheet = (name: string): AssetFile => ({ name, type: 'text/css; charset=utf-8' })

/** A new version has a new name, so browsers may keep this one. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/**
 * Serves stylesheets and scripts under names that change with what is in them, and returns their addresses: a hash of
 * what is in a file is part of its name.
 */
export function mountAssets<Name extends string>(
  app: Hono,
  files: Readonly<Record<Name, AssetFile>>,
): () => Promise<Record<Name, string>> {
  const load = loadedOnce(() => loadAll(files))

  app.get('/assets/:name', async (c) => {
    const asset = Object.values<Asset>(await load()).find(({ path }) => path === c.req.path)
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
    const paths = Object.entries<Asset>(await load()).map(([name, { path }]) => [name, path])
    return Object.fromEntries(paths)
  }
}

/** The addresses alone, for pages whose files another app serves. */
export function assetPaths<Name extends string>(
  files: Readonly<Record<Name, AssetFile>>,
): () => Promise<Record<Name, string>> {
  return loadedOnce(async () => {
    const reading = Object.entries<AssetFile>(files).map(async ([name, file]) => [
      name,
      pathOf(file, await contentOf(file)),
    ])
    return Object.fromEntries(await Promise.all(reading))
  })
}

async function loadAll<Name extends string>(
  files: Readonly<Record<Name, AssetFile>>,
): Promise<Record<Name, Asset>> {
  const loading = Object.entries<AssetFile>(files).map(async ([name, file]) => [name, await assetOf(file)])
  return Object.fromEntries(await Promise.all(loading))
}

async function assetOf(file: AssetFile): Promise<Asset> {
  const plain = await contentOf(file)
  return {
    path: pathOf(file, plain),
    type: file.type,
    plain,
    gzip: new Uint8Array(await promisify(gzip)(plain, { level: 9 })),
    br: new Uint8Array(await promisify(brotliCompress)(plain)),
  }
}

async function contentOf({ name }: AssetFile): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL(`assets/console/${name}`, packageRoot)))
}

function pathOf({ name }: AssetFile, content: Uint8Array): string {
  const [stem, kind] = name.split('.')
  return `/assets/${stem}.${hash('sha256', content, 'base64url').slice(0, 12)}.${kind}`
}

/** Whether a browser takes responses in an encoding. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return new RegExp(`(^|[,\\s])${encoding}([,;\\s]|$)`).test(header ?? '')
}
