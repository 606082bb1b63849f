/** The SDK's doc comments → its reference: every exported name with its declaration, what it is for and an example. */
import { join, normalize } from 'node:path'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  strict: true,
  types: [],
  noLib: true,
}

/** The entries of the package: how each is imported, and the file. */
const entries = {
  '@wigwag/sdk': 'index.ts',
  '@wigwag/sdk/node': 'node/index.ts',
  '@wigwag/sdk/raw': 'raw.ts',
  '@wigwag/sdk/segments': 'segments/index.ts',
  '@wigwag/sdk/testing': 'testing/index.ts',
}

const kinds = ['Functions', 'Classes', 'Types'] as const

interface Item {
  name: string
  kind: (typeof kinds)[number]
  text: string
}

/** `fresh` holds generated sources that are not written yet. */
export function reference(source: string, fresh: ReadonlyMap<string, string>): string {
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (name) => fresh.get(normalize(name)) ?? readFile(name)
  host.fileExists = (name) => fresh.has(normalize(name)) || fileExists(name)
  const program = ts.createProgram(
    Object.values(entries).map((file) => join(source, file)),
    options,
    host,
  )
  const checker = program.getTypeChecker()
  const sections = Object.entries(entries).map(([from, file]) => {
    const module = program.getSourceFile(join(source, file))
    const symbol = module && checker.getSymbolAtLocation(module)
    const items = symbol ? checker.getExportsOfModule(symbol).map((one) => describe(one, checker)) : []
    const byName = items.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { from, items: kinds.flatMap((kind) => byName.filter((item) => item.kind === kind)) }
  })
  const anchors = anchorsOf(sections.flatMap(({ items }) => items))
  const parts = [
    '<!-- Generated from the doc comments of packages/sdk/src by `npm run generate`. Do not edit. -->',
    '# Reference of `@wigwag/sdk`',
    'How to do things is in the [README](../../packages/sdk/README.md); here is every name that can be imported.',
    "`Body<'x'>`, `Query<'x'>` and `Output<'x'>` stand for what the operation `x` takes and answers in openapi.yaml.",
    ...sections.flatMap(({ from, items }) => contents(from, items, anchors)),
    ...sections.flatMap(({ items }) => items.map(({ text }) => text)),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Where each name is on the page. Letter case is lost there, so the second of two is numbered. */
function anchorsOf(items: Item[]): Map<Item, string> {
  const taken = new Map<string, number>()
  return new Map(
    items.map((item) => {
      const name = item.name.toLowerCase()
      const times = taken.get(name) ?? 0
      taken.set(name, times + 1)
      return [item, times ? `${name}-${times}` : name]
    }),
  )
}

/** Links to the names of one entry, by kind. */
function contents(from: string, items: Item[], anchors: Map<Item, string>): string[] {
  const lines = kinds.flatMap((kind) => {
    const links = items
      .filter((item) => item.kind === kind)
      .map((item) => `[${item.name}](#${anchors.get(item)})`)
    return links.length ? [`- ${kind}: ${links.join(' · ')}`] : []
  })
  return [`From \`${from}\`:`, lines.join('\n')]
}

function describe(exported: ts.Symbol, checker: ts.TypeChecker): Item {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const [declaration] = symbol.declarations ?? []
  if (!declaration) throw new Error(`${exported.name} is declared nowhere`)
  const words = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const tags = symbol
    .getJsDocTags(checker)
    .map(({ name, text }) => ({ name, text: ts.displayPartsToString(text) }))
  const throws = tags
    .filter(({ name }) => name === 'throws')
    .map(({ text }) => `Throws ${text.replace(/^\{?(\w+)\}?/, '`$1`')}.`)
  const examples = tags.filter(({ name }) => name === 'example').map(({ text }) => fenced(text))
  const text = [`## ${exported.name}`, words, ...throws, fenced(headOf(declaration)), ...examples].join(
    '\n\n',
  )
  return { name: exported.name, kind: kindOf(declaration), text }
}

function kindOf(declaration: ts.Declaration): Item['kind'] {
  if (ts.isFunctionDeclaration(declaration)) return 'Functions'
  return ts.isClassDeclaration(declaration) ? 'Classes' : 'Types'
}

/** A declaration as it is written, without what its functions do. */
function headOf(declaration: ts.Declaration): string {
  if (ts.isFunctionDeclaration(declaration))
    return upTo(declaration, declaration.body).replace(/^export (async )?/, '')
  const text = declaration.getText().replace(/^export /, '')
  if (!ts.isClassDeclaration(declaration)) return text
  const written = declaration.members.filter(
    (member) => ts.isPropertyDeclaration(member) && member.name.getText() !== 'name',
  )
  const fields = written.map(
    (member) =>
      `\n  ${member
        .getFullText()
        .trim()
        .replace(/\b(declare|override) /g, '')}`,
  )
  return `${text.slice(0, text.indexOf('{') + 1)}${fields.join('')}${fields.length ? '\n' : ''}}`
}

function upTo(declaration: ts.Declaration, body: ts.Node | undefined): string {
  const text = declaration.getText()
  return body ? text.slice(0, body.getStart() - declaration.getStart()).trimEnd() : text
}

function fenced(code: string): string {
  return `\`\`\`ts\n${code.trim()}\n\`\`\``
}
