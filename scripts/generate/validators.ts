/** openapi.yaml → zod validators of every request, for the server and the connector. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { BANNER, type Document } from './document.ts'

/** Each description is put into zod's registry: models read those of the tools' inputs. */
export async function validators(document: Document): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-validators-'))
  try {
    await createClient({
      input: { ...structuredClone(document) },
      output: { path: folder },
      plugins: [{ name: 'zod', responses: false, webhooks: false, metadata: true, dates: { offset: true } }],
      logs: { level: 'silent', file: false },
    })
    const generated = await readFile(join(folder, 'zod.gen.ts'), 'utf8')
    return generated.replace(/^\/\/.*\n/, BANNER)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
