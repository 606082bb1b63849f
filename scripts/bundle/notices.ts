import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const IN_PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//

/** The licence of every package of others that is in a program. One without a licence is an error. */
export function noticesOf(inputs: readonly string[], root: string): string {
  const folders = new Map<string, string>()
  for (const input of inputs) {
    const [, folder, name] = IN_PACKAGE.exec(input) ?? []
    if (folder === undefined || name === undefined) continue
    folders.set(name, folder)
    for (const inside of packedInto(input)) {
      if (!folders.has(inside)) folders.set(inside, join(root, 'node_modules', inside))
    }
  }
  const names = [...folders.keys()].sort()
  const parts = names.map((name) => `${name}\n\n${licenceIn(name, folders.get(name) ?? '', root)}`)
  return [`The program contains parts of ${names.join(', ')}.\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

/** The packages that the authors of a file had already joined into it, as its source map says. */
function packedInto(file: string): string[] {
  if (!existsSync(`${file}.map`)) return []
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(`${file}.map`, 'utf8'))
  return sources.flatMap((source) => IN_PACKAGE.exec(source)?.[2] ?? [])
}

/** The texts of licences, for packages that only name theirs: each in a package that brings it. */
const TEXTS: Record<string, string> = { 'Apache-2.0': 'node_modules/typescript/LICENSE.txt' }

function licenceIn(name: string, folder: string, root: string): string {
  const file = existsSync(folder)
    ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    : undefined
  if (file !== undefined) return textOf(join(folder, file))
  const manifest = join(folder, 'package.json')
  const named: unknown = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).license
  const text = typeof named === 'string' ? TEXTS[named] : undefined
  if (text === undefined) throw new Error(`expected a licence of ${name} in ${folder}`)
  return textOf(join(root, text))
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
}
