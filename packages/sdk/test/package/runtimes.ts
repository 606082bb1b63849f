import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')
const installed = ['node20', 'node22'].map((name) => join(root, '.cache/runtimes/node_modules', name, 'bin'))

/**
 * The Nodes that there are, one of each major version: the one that runs this, those that `npm run lab -- runtimes` has
 * installed, and the machine's own.
 */
export function runtimes(): { version: string; path: string }[] {
  const folders = [...installed, ...(process.env.PATH ?? '').split(delimiter)]
  const paths = [
    process.execPath,
    ...folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path)),
  ]
  const byMajor = new Map<string, { version: string; path: string }>()
  for (const path of paths) {
    const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
    const [major = ''] = version.split('.')
    if (Number(major) >= 20 && !byMajor.has(major)) byMajor.set(major, { version, path })
  }
  return [...byMajor.values()]
}
