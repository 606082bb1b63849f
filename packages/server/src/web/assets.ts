import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { loadedOnce } from '../kernel/process/loaded-once.ts'
import { accepts } from '../net/server/body.ts'
import { packageRoot } from '../package-root.ts'

/** A file of `assets/console/`. It is read and compressed once a process, when it is first needed. */
export interface AssetFile {
  type: string
  /** Its address: a hash of what is in it is part of its name. */
  path(): Promise<string>
  contents(): Promise<Contents>
}

/** The same in each encoding. */
type Contents = Record<'plain' | 'gzip' | 'br', Uint8Array<ArrayBuffer>>

export const script = (name: string): AssetFile => assetFile(name, 'text/javascript; charset=utf-8')
export const stylesheet = (name: string): AssetFile => assetFile(name, 'text/css; charset=utf-8')

function assetFile(name: string, type: string): AssetFile {
  const plain = loadedOnce(
    async () => new Uint8Array(await readFile(new URL(`assets/console/${name}`, packageRoot))),
  )
  return {
    type,
    path: async () => pathOf(name, await plain()),
    contents: loadedOnce(async () => contentsOf(await plain())),
  }
}

function pathOf(name: string, content: Uint8Array): string {
  const [stem, kind] = name.split('.')
  return `/assets/${stem}.${hash('sha256', content, 'base64url').slice(0, 12)}.${kind}`
}

async function contentsOf(plain: Uint8Array<ArrayBuffer>): Promise<Contents> {
  return {
    plain,
    gzip: new Uint8Array(await promisify(gzip)(plain, { level: 9 })),
    br: new Uint8Array(await promisify(brotliCompress)(plain)),
  }
}

/** A new version has a new name, so browsers may keep this one. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/** Serves stylesheets and scripts, and returns their addresses. */
export function mountAssets<Name extends string>(
  app: Hono,
  files: Readonly<Record<Name, AssetFile>>,
): () => Promise<Record<Name, string>> {
  const paths = assetPaths(files)

  app.get('/assets/:name', async (c) => {
    const known = await paths()
    const asked = (Object.keys(known) as Name[]).find((name) => known[name] === c.req.path)
    if (asked === undefined) return c.notFound()
    const { type, contents } = files[asked]
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(c.req.header('accept-encoding'), name))
    return c.body((await contents())[encoding ?? 'plain'], 200, {
      'content-type': type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': FOR_GOOD,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  return paths
}

/** The addresses alone, for pages whose files another app serves. */
export function assetPaths<Name extends string>(
  files: Readonly<Record<Name, AssetFile>>,
): () => Promise<Record<Name, string>> {
  return loadedOnce(async () => {
    const reading = Object.entries<AssetFile>(files).map(async ([name, file]) => [name, await file.path()])
    return Object.fromEntries(await Promise.all(reading))
  })
}
