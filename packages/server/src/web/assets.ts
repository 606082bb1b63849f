import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { loadedOnce } from '../kernel/process/loaded-once.ts'
import { Packed } from '../net/server/packed.ts'
import { packageRoot } from '../package-root.ts'

/** A file of `assets/console/`. It is read and compressed once a process, when it is first needed. */
export interface AssetFile {
  type: string
  /** Its address: a hash of what is in it is part of its name. */
  path(): Promise<string>
  contents(): Promise<Packed>
}

export const script = (name: string): AssetFile => assetFile(name, 'text/javascript; charset=utf-8')
export const stylesheet = (name: string): AssetFile => assetFile(name, 'text/css; charset=utf-8')

function assetFile(name: string, type: string): AssetFile {
  const contents = loadedOnce(
    async () => new Packed(new Uint8Array(await readFile(new URL(`assets/console/${name}`, packageRoot)))),
  )
  const [stem, kind] = name.split('.')
  return { type, contents, path: async () => `/assets/${stem}.${(await contents()).digest}.${kind}` }
}

/** A new version has a new name, so browsers may keep this one. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/** Serves stylesheets and scripts, and returns their addresses. An app may serve several sets. */
export function mountAssets<Name extends string>(
  app: Hono,
  files: Readonly<Record<Name, AssetFile>>,
): () => Promise<Record<Name, string>> {
  const paths = assetPaths(files)

  app.get('/assets/:name', async (c, next) => {
    const known = await paths()
    const asked = (Object.keys(known) as Name[]).find((name) => known[name] === c.req.path)
    if (asked === undefined) return next()
    const { type, contents } = files[asked]
    return (await contents()).reply(c, {
      'content-type': type,
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
