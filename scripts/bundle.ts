/**
 * Makes the one-click bundle of the connector, for desktop assistants: the program in one file, its manifest, an icon and
 * licences. The same sources give the same bytes.
 *
 *   npm run build -- --bundle         packages/mcp/dist/wigwag-<version>.mcpb
 *   node scripts/bundle.ts <folder>   the same in another folder, from what was built
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { zipSync } from 'fflate'
import { ICON, manifestOf, PROGRAM } from './bundle/manifest.ts'
import { noticesOf } from './bundle/notices.ts'
import { buildProgram } from './bundle/program.ts'

/** The first moment of the format, which has no time zones: a file in an archive must have one. */
const NO_TIME = new Date(1980, 0, 1)

const root = join(import.meta.dirname, '..')
const connector = join(root, 'packages/mcp')

export async function makeBundle(into = join(connector, 'dist')): Promise<void> {
  const manifest = manifestOf(connector)
  const { code, inputs } = await buildProgram(root)
  const archive = zipSync(
    {
      'manifest.json': new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`),
      [PROGRAM]: code,
      [ICON]: readFileSync(join(connector, 'bundle', ICON)),
      LICENSE: readFileSync(join(root, 'LICENSE')),
      'THIRD-PARTY-NOTICES.txt': new TextEncoder().encode(noticesOf(inputs, root)),
    },
    { level: 9, mtime: NO_TIME },
  )
  mkdirSync(into, { recursive: true })
  const file = join(resolve(into), `${manifest.name}-${manifest.version}.mcpb`)
  writeFileSync(file, archive)
  console.log(
    `${file}\n${archive.length} bytes, sha256 ${createHash('sha256').update(archive).digest('hex')}`,
  )
}

if (import.meta.main) await makeBundle(process.argv[2])
