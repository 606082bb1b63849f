import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** The package's own page. */
export const readme = join(import.meta.dirname, '../../README.md')

/** A piece of code that the documentation shows. */
export interface Snippet {
  title: string
  /** The file that it says it is; others import it under that name. */
  file: string
  code: string
}

/** The pieces of TypeScript in a page, under its headings. */
export function snippetsOf(page: string): Snippet[] {
  const sections = readFileSync(page, 'utf8').split(/^##? /m)
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n')
    return [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ''], at) => {
      const file = /^\/\/ (\S+\.ts)/.exec(text)?.[1] ?? `${heading.replace(/\W+/g, '-')}-${at}.ts`
      return { title: `${heading} (${at + 1})`, file, code: asModule(text) }
    })
  })
}

/** Writes a piece as its compiler does, since others import it as `.js`. Returns the file, to be imported. */
export function compiled(folder: string, { file, code }: Snippet): string {
  const path = join(folder, file.replace(/\.ts$/, '.js'))
  writeFileSync(path, stripTypeScriptTypes(code))
  return path
}

/** Without an import or an export a file is a script, which may not await. */
export function asModule(text: string): string {
  return `${text.trimEnd()}\nexport {}\n`
}
