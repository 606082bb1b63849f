/**
 * Builds the published packages side by side. Each leaves the others to be resolved at run time, and bundles `contract`.
 *
 *   npm run build                     what is published
 *   npm run build -- --bundle         and the connector's one-click bundle
 *   node scripts/build.ts --no-types  what the programs need, in a second
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { stringify } from 'yaml'
import { noticesOf } from './bundle/notices.ts'
import { readDocument, servedDocument } from './generate/document.ts'

const root = join(import.meta.dirname, '..')
const tsup = join(root, 'node_modules', 'tsup', 'dist', 'cli-default.js')

const withTypes = !process.argv.includes('--no-types')
const packages = ['sdk', 'mcp', 'smpp', 'conform', 'server']
const codes = await Promise.all(packages.map(build))
await makeAssets()
if (withTypes) {
  makeTypesForCommonJs()
  makeNotices()
}
for (const name of packages) cpSync(join(root, 'LICENSE'), join(root, 'packages', name, 'LICENSE'))
process.exitCode = Math.max(...codes)
// It is made of what was just built.
if (process.argv.includes('--bundle') && !process.exitCode) await (await import('./bundle.ts')).makeBundle()

function build(name: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [tsup, ...(withTypes ? [] : ['--no-dts'])], {
      cwd: join(root, 'packages', name),
    })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output))
      resolve(code ?? 1)
    })
  })
}

/** Files that the server serves: the document, to which it adds its address, and the collection. */
async function makeAssets(): Promise<void> {
  const assets = join(root, 'packages', 'server', 'assets')
  mkdirSync(assets, { recursive: true })
  const document = await readDocument(join(root, 'openapi.yaml'))
  const served = servedDocument(document)
  writeFileSync(join(assets, 'openapi.json'), JSON.stringify(served))
  writeFileSync(join(assets, 'openapi.yaml'), stringify({ ...served, servers: undefined }))
  cpSync(join(root, 'examples', 'postman', 'wigwag.postman_collection.json'), join(assets, 'postman.json'))
}

/** The licences of what the server contains. */
function makeNotices(): void {
  const server = join(root, 'packages', 'server')
  const { outputs }: Metafile = JSON.parse(readFileSync(join(server, 'dist', 'metafile-esm.json'), 'utf8'))
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  )
  const notices = noticesOf(
    used.map(([path]) => join(server, path)),
    root,
  )
  writeFileSync(join(server, 'THIRD-PARTY-NOTICES.txt'), notices)
}

/** The types of `require('@wigwag/server/testing')` are those of its `import`. */
function makeTypesForCommonJs(): void {
  const dist = join(root, 'packages', 'server', 'dist')
  cpSync(join(dist, 'testing.d.ts'), join(dist, 'testing.d.cts'))
}
