import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { programOf } from './compiler.ts'

/** The package's own page. */
export const readme = join(import.meta.dirname, '../../README.md')

const root = join(import.meta.dirname, '../..')
const entries = ['index.ts', 'node/index.ts', 'raw.ts', 'segments/index.ts', 'testing/index.ts'].map((file) =>
  join(root, 'src', file),
)

/** A piece of code that the documentation shows. */
export interface Snippet {
  title: string
  /** The file that it says it is; others import it under that name. */
  file: string
  code: string
}

/** Every exported name and the examples in its doc comment. */
export function examples(): Map<string, Snippet[]> {
  const program = programOf(entries)
  const checker = program.getTypeChecker()
  const found = new Map<string, Snippet[]>()
  for (const entry of entries) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example')
      const texts = tags.map(({ text }) => ts.displayPartsToString(text))
      const title = exported.name
      const snippets = texts.map((text, at) => ({
        title,
        file: `${found.size}-${title}-${at}.ts`,
        code: asModule(text),
      }))
      found.set(title, snippets)
    }
  }
  return found
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
function asModule(text: string): string {
  return `${text.trimEnd()}\nexport {}\n`
}
