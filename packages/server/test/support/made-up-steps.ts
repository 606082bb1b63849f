import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'

/** A folder with steps of a test's own, gone after the test. */
export async function madeUpSteps(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const add = async (more: Record<string, string>) => {
    for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text)
  }
  await add(files)
  return { folder: pathToFileURL(`${folder}/`), add }
}
