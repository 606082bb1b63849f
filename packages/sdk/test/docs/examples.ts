import { join } from 'node:path'
import ts from 'typescript'
import { programOf } from './compiler.ts'
import { asModule, type Snippet } from './snippets.ts'

export const source = join(import.meta.dirname, '../../src')
export const entries = ['index.ts', 'node/index.ts', 'raw.ts', 'segments/index.ts', 'testing/index.ts'].map(
  (file) => join(source, file),
)
/** The package as its programs see it. */
export const program = programOf(entries)
const checker = program.getTypeChecker()

/** Every exported name and the examples in its doc comment. */
export function examples(): Map<string, Snippet[]> {
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
