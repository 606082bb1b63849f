/**
 * Says how easily the gateway's sources can be lived in: how many files and how large, and how often *go to definition* on a
 * call lands on code.
 *
 *   npm run lab -- house
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { median, printRow } from './report.ts'

const root = join(import.meta.dirname, '../..')
const SOURCES = 'packages/server/src'
/** Interfaces with several classes behind them, in which a call can't lead to one. */
const PORTS = [
  'Tx',
  'Database',
  'ReadOnlyDatabase',
  'Clock',
  'Carrier',
  'Replica',
  'Notices',
  'Sealer',
  'Journal',
]
const MOST_LINES = 300
const MOST_ENTRIES = 18

const files = execFileSync('git', ['ls-files', SOURCES], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const lines = new Map([...texts].map(([file, text]) => [file, text.split('\n').length - 1]))
const all = [...texts.values()].join('\n')
const entries = new Map<string, Set<string>>()
for (const file of files) {
  for (let at = file; at !== SOURCES; at = dirname(at)) {
    const inFolder = entries.get(dirname(at)) ?? new Set()
    entries.set(dirname(at), inFolder.add(at))
  }
}

row('files', files.length)
row('lines', sum(lines.values()))
row('median lines of a file', median([...lines.values()]))
const long = [...lines].filter(([, count]) => count > MOST_LINES)
row(`files over ${MOST_LINES} lines`, long.length, long.map(([file]) => short(file)).join(', '))
const full = [...entries].filter(([, inFolder]) => inFolder.size > MOST_ENTRIES)
row(`folders over ${MOST_ENTRIES} entries`, full.length, full.map(([folder]) => short(folder)).join(', '))
row('exported functions named create…', all.match(/^export (async )?function create[A-Z]/gm)?.length ?? 0)
row(
  'interfaces that end in Options or Parts',
  all.match(/^(export )?interface \w*(Options|Parts)\b/gm)?.length ?? 0,
)
const calls = callsInside()
const toCode = calls.filter(({ isCode }) => isCode).length
const toPorts = calls.filter(({ isPort }) => isPort).length
row('calls of our own', calls.length)
row(
  'of them to code',
  toCode,
  `${percent(toCode / calls.length)}; without ports ${percent(toCode / (calls.length - toPorts))}`,
)

function row(what: string, figure: number, more = ''): void {
  printRow({ what, figure: String(figure), goal: more })
}

function short(path: string): string {
  return path.slice(SOURCES.length + 1) || '.'
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0)
}

interface Call {
  isCode: boolean
  isPort: boolean
}

/** Every call whose definition is in the sources, and whether that is code or the member of an interface. */
function callsInside(): Call[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, noEmit: true },
  )
  const checker = program.getTypeChecker()
  const found: Call[] = []
  for (const source of program.getSourceFiles().filter(isOurs)) visit(source)
  return found

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const called = node.expression
      const definition = definitionOf(checker, ts.isPropertyAccessExpression(called) ? called.name : called)
      if (definition && isOurs(definition.getSourceFile())) found.push(judged(definition))
    }
    ts.forEachChild(node, visit)
  }
}

function isOurs({ fileName }: ts.SourceFile): boolean {
  return fileName.startsWith(join(root, SOURCES))
}

/** Where an editor goes: through imports, and through the names that a destructuring gives. */
function definitionOf(checker: ts.TypeChecker, name: ts.Node): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(name)
  const meant = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const declared = meant?.valueDeclaration ?? meant?.declarations?.[0]
  if (!declared || !ts.isBindingElement(declared)) return declared
  const property = (declared.propertyName ?? declared.name).getText()
  const from = checker.getTypeAtLocation(declared.parent).getProperty(property)
  return from?.valueDeclaration ?? from?.declarations?.[0]
}

function judged(definition: ts.Declaration): Call {
  const isMember = ts.isMethodSignature(definition) || ts.isPropertySignature(definition)
  const of = definition.parent
  return {
    isCode: !isMember && !ts.isParameter(definition),
    isPort: isMember && ts.isInterfaceDeclaration(of) && PORTS.includes(of.name.text),
  }
}
