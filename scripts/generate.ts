/**
 * openapi.yaml → every generated file of the published packages; the SDK's doc comments → its reference; the catalogue of
 * errors and the commands of the program → their pages.
 *
 *   npm run generate              writes them
 *   npm run generate -- --check   writes nothing; exits 1 and names each file that is not what the document says
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { commandLine } from './generate/command-line.ts'
import { conformChecks } from './generate/conform-checks.ts'
import { readDocument } from './generate/document.ts'
import { errors } from './generate/errors.ts'
import { models } from './generate/models.ts'
import { operationsTable } from './generate/operations.ts'
import { places } from './generate/places.ts'
import { postmanCollection } from './generate/postman.ts'
import { REFERENCE_PAGES, reference } from './generate/reference.ts'
import { toolInputs } from './generate/tools.ts'
import { types } from './generate/types.ts'
import { validators } from './generate/validators.ts'
import { versionFile, versionOf } from './generate/version.ts'

const root = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')
const document = await readDocument(join(root, 'openapi.yaml'))

const contract = 'packages/contract/src/generated'
const sdk = join(root, 'packages/sdk/src')
const modelsFile = join(sdk, 'generated/models.ts')
const modelsText = models(document)
const wanted: Record<string, string> = {
  [`${contract}/openapi.ts`]: await types(document),
  [`${contract}/validators.ts`]: await validators(document),
  [`${contract}/operations.ts`]: operationsTable(document),
  [`${contract}/tools.ts`]: toolInputs(document),
  'packages/sdk/src/generated/models.ts': modelsText,
  'packages/sdk/src/generated/places.ts': places(document),
  [versionFile]: versionOf(root),
  'docs/errors.md': errors(),
  'docs/command-line.md': await commandLine(),
  'docs/conform-checks.md': conformChecks(),
  ...reference(sdk, new Map([[modelsFile, modelsText]])),
  'examples/postman/wigwag.postman_collection.json': `${JSON.stringify(postmanCollection(document), null, 2)}\n`,
}

const stale: string[] = []
for (const [path, content] of Object.entries(wanted)) {
  const file = join(root, path)
  const current = await readFile(file, 'utf8').catch(() => undefined)
  if (current === content) continue
  stale.push(path)
  if (!check) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

/** Pages of names that are not exported any more. */
const listed = await readdir(join(root, REFERENCE_PAGES)).catch(() => [])
for (const path of listed.map((name) => `${REFERENCE_PAGES}/${name}`)) {
  if (path in wanted) continue
  stale.push(path)
  if (!check) await rm(join(root, path))
}

if (stale.length === 0)
  console.log(
    `${Object.keys(wanted).length} generated files agree with openapi.yaml, the doc comments and the commands`,
  )
else if (check) {
  console.error(
    `These files are not what openapi.yaml, the doc comments and the commands say. Run: npm run generate\n  ${stale.join('\n  ')}`,
  )
  process.exitCode = 1
} else console.log(`written:\n  ${stale.join('\n  ')}`)
