import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const deploy = join(root, 'deploy')

/** The names of all settings that the program reads, as its source has them. */
export async function settingNames(): Promise<Set<string>> {
  const text = await readFile(join(root, 'packages/server/src/config/setting-values.ts'), 'utf8')
  return new Set(text.match(/\bWIGWAG_[A-Z_]+\b/g))
}

/** The lines `NAME=value` of a file, those behind a `#` as well. */
export function assignments(text: string): string[] {
  return [...text.matchAll(/^#?\s*([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
}

/** Every file in `deploy/`, relative to it. */
export async function deployFiles(): Promise<string[]> {
  const entries = await readdir(deploy, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
