import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src')
const entries = [join(source, 'index.ts'), join(source, 'node/index.ts')]

const config = ts.getParsedCommandLineOfConfigFile(
  join(root, '../../tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(String(diagnostic.messageText))
    },
  },
)
const options: ts.CompilerOptions = { ...config?.options, noEmit: true, incremental: false }

/** What the compiler says of files, some of which are only in memory. */
function complaints(files: Map<string, string>, more: string[] = []): string[] {
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.fileExists = (name) => files.has(name) || fileExists(name)
  const program = ts.createProgram([...files.keys(), ...more], options, host)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0
    return `${diagnostic.file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`
  })
}

/** Every exported name and the examples in its doc comment. */
function examples(): Map<string, string[]> {
  const program = ts.createProgram(entries, options)
  const checker = program.getTypeChecker()
  const modules = entries
    .map((entry) => program.getSourceFile(entry))
    .map((file) => file && checker.getSymbolAtLocation(file))
  const found = new Map<string, string[]>()
  for (const exported of modules.flatMap((module) => (module ? checker.getExportsOfModule(module) : []))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example')
    found.set(
      exported.name,
      tags.map(({ text }) => ts.displayPartsToString(text)),
    )
  }
  return found
}

describe('the compiler', () => {
  it('finds in the type tests what they promise', () => {
    expect(complaints(new Map(), [join(import.meta.dirname, 'types.test.ts')])).toEqual([])
  })

  it('takes every example in the docs of an exported name, and every name has one', () => {
    const found = examples()
    expect(found.size).toBeGreaterThan(40)
    expect([...found].filter(([, texts]) => texts.length === 0).map(([name]) => name)).toEqual([])
    const files = new Map<string, string>()
    for (const [name, texts] of found) {
      for (const [at, text] of texts.entries())
        files.set(join(root, 'test', `example-${files.size}-${name}-${at}.ts`), `${text}\nexport {}\n`)
    }
    expect(complaints(files)).toEqual([])
  })
})

describe('the source', () => {
  const files = readdirSync(source).filter((name) => name.endsWith('.ts'))
  const codeOf = (name: string) => readFileSync(join(source, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')

  it.each(files)('%s needs no package but openapi-fetch', (name) => {
    const imports = [...codeOf(name).matchAll(/from '([^']+)'/g)].map(([, from]) => from ?? '')
    expect(imports.filter((from) => !from.startsWith('./') && from !== 'openapi-fetch')).toEqual([])
  })

  it.each(files)('%s exports names only', (name) => {
    expect(codeOf(name)).not.toMatch(/export default/)
  })
})
