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
  words: string[]
  declaration: string
  examples: string[]
}

/** The names that one entry of the package exports. */
interface Section {
  from: string
  items: Item[]
}

const GENERATED =
  '<!-- Generated from the doc comments of packages/sdk/src by `npm run generate`. Do not edit. -->'
const INDEX = 'docs/sdk/README.md'
/** The folder of the pages, in which nothing else is. */
export const REFERENCE_PAGES = 'docs/sdk/reference'

/** The index and the pages, by their paths. `fresh` holds generated sources that are not written yet. */
export function reference(source: string, fresh: ReadonlyMap<string, string>): Record<string, string> {
  const sections = sectionsOf(source, fresh)
  const pages = pagesOf(sections.flatMap(({ items }) => items))
  const places = new Map(
    pages.flatMap((page) => {
      const [{ name: title } = { name: '' }] = page
      return page.map((item, at) => [item.name, at === 0 ? `${title}.md` : `${title}.md#${anchorOf(item)}`])
    }),
  )
  const entryOf = new Map(sections.flatMap(({ from, items }) => items.map((item) => [item, from])))
  const texts = pages.map((page) => {
    const [{ name: title } = { name: '' }] = page
    const parts = page.flatMap((item, at) => [
      at === 0 ? `# ${title}` : `## ${headingOf(item)}`,
      ...pieceOf(item, entryOf.get(item) ?? '', places),
    ])
    return [`${REFERENCE_PAGES}/${title}.md`, textOf(parts)] as const
  })
  const index = [
    '# Reference of `@wigwag/sdk`',
    'Every name that can be imported. How to do things is in the [README](../../packages/sdk/README.md).',
    sections.flatMap((section) => contents(section, places)).join('\n'),
  ]
  return { [INDEX]: textOf(index), ...Object.fromEntries(texts) }
}

function textOf(parts: string[]): string {
  return `${[GENERATED, ...parts].join('\n\n')}\n`
}

function sectionsOf(source: string, fresh: ReadonlyMap<string, string>): Section[] {
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
  return Object.entries(entries).map(([from, file]) => {
    const module = program.getSourceFile(join(source, file))
    const symbol = module && checker.getSymbolAtLocation(module)
    const items = symbol ? checker.getExportsOfModule(symbol).map((one) => describe(one, checker)) : []
    const byName = items.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { from, items: kinds.flatMap((kind) => byName.filter((item) => item.kind === kind)) }
  })
}

/** A page for each name. Names that differ in letter case alone share one, as some disks have no two such files. */
function pagesOf(items: Item[]): Item[][] {
  return [...Map.groupBy(items, ({ name }) => name.toLowerCase()).values()]
}

/** The heading of the second name on a page. */
function headingOf({ kind, name }: Item): string {
  return `The ${NOUNS[kind]} ${name}`
}

function anchorOf(item: Item): string {
  return headingOf(item).toLowerCase().replaceAll(' ', '-')
}

/** Below it, the names of an entry are not parted by kind. */
const FEW = 20

const NOUNS = { Functions: 'function', Classes: 'class', Types: 'type' } as const

function pieceOf(
  { name, kind, words, declaration, examples }: Item,
  from: string,
  places: Map<string, string>,
): string[] {
  const others = namesIn(declaration).filter((other) => other !== name && places.has(other))
  return [
    `A ${NOUNS[kind]} of \`${from}\`.`,
    ...words,
    fenced(declaration),
    ...(/\b(?:Body|Query|Output)</.test(declaration) ? [OPERATIONS] : []),
    ...examples.map(fenced),
    ...(others.length > 0
      ? [`See ${others.map((other) => `[${other}](${places.get(other)})`).join(' · ')}`]
      : []),
  ]
}

const OPERATIONS =
  "`Body<'x'>`, `Query<'x'>` and `Output<'x'>` stand for what the operation `x` takes and answers in openapi.yaml."

/** The types and functions that a declaration names: not its fields, nor words of its comments. */
function namesIn(declaration: string): string[] {
  const code = declaration.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  return [...new Set([...code.matchAll(/\b([A-Z]\w+)\b(?!\??:)/g)].map(([, name = '']) => name))].sort()
}

/** Links to the names of one entry: a line for each kind of many names, and one line for a few. */
function contents({ from, items }: Section, places: Map<string, string>): string[] {
  const link = ({ name }: Item) => `[${name}](reference/${places.get(name)})`
  const few = items.length < FEW
  const groups = few ? [items] : kinds.map((kind) => items.filter((item) => item.kind === kind))
  return groups.flatMap((group) => {
    const [first] = group
    if (!first) return []
    const kind = few ? '' : `, ${first.kind.toLowerCase()}`
    return `- \`${from}\`${kind}: ${group.map(link).join(' · ')}`
  })
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
  return {
    name: exported.name,
    kind: kindOf(declaration),
    words: [words, ...throws],
    declaration: headOf(declaration),
    examples: tags.filter(({ name }) => name === 'example').map(({ text }) => text),
  }
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
