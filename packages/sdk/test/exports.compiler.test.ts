import ts from 'typescript'
import { expect, it } from 'vitest'
import { entries, program, source } from './docs/examples.ts'

const checker = program.getTypeChecker()

function resolved(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

const exported = new Set(
  entries.flatMap((entry) => {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    return module ? checker.getExportsOfModule(module).map(resolved) : []
  }),
)

/** The visible declarations of a symbol. A function with several signatures hides that of its code. */
function visibleOf(symbol: ts.Symbol | undefined): ts.Declaration[] {
  const all = symbol?.declarations ?? []
  return all.length > 1 ? all.filter((one) => !(ts.isFunctionDeclaration(one) && one.body)) : all
}

/** The types of this package that a declaration names, without what its functions do. */
function namedBy(declaration: ts.Node): ts.Symbol[] {
  const found: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined
    const symbol = name && resolved(checker.getSymbolAtLocation(name))
    const isOurs = symbol?.declarations?.some(
      (one) => one.getSourceFile().fileName.startsWith(source) && !ts.isTypeParameterDeclaration(one),
    )
    if (symbol && isOurs) found.push(symbol)
    ts.forEachChild(node, visit)
  }
  visit(declaration)
  return found
}

/** They make up signatures: the type of a value names another, or is there for what the compiler says of a wrong one. */
const FOR_SIGNATURES = [
  'EveryOperation',
  'FakeInput',
  'Operations',
  'Output',
  'ErrorClass',
  'RowsFill',
  'success',
]

it('every type that an exported one names can be imported', () => {
  const missing = [...exported].flatMap((symbol) =>
    visibleOf(symbol)
      .flatMap(namedBy)
      .filter((named) => !exported.has(named) && !FOR_SIGNATURES.includes(named.name))
      .map((named) => `${named.name}, named by ${symbol?.name}`),
  )
  expect(exported.size).toBeGreaterThan(90)
  expect(missing).toEqual([])
})
