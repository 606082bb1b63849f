/** openapi.yaml → TypeScript types, for the SDK and for the server. */
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import { BANNER, type Document } from './document.ts'

/**
 * A schema with `x-extensible-enum` becomes its known values or any other string: editors complete the known
 * ones, and a value that a later gateway adds still type-checks.
 */
function openEnum(values: readonly string[]): ts.TypeNode {
  const { factory } = ts
  const known = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)))
  const anyOther = factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    factory.createTypeLiteralNode([]),
  ])
  return factory.createUnionTypeNode([...known, factory.createParenthesizedType(anyOther)])
}

export async function types(document: Document): Promise<string> {
  // The library resolves references in place, so it gets a copy.
  const ast = await openapiTS(structuredClone(document) as object as OpenAPI3, {
    transform: (schema) => {
      const values: unknown = Reflect.get(schema, 'x-extensible-enum')
      return Array.isArray(values) ? openEnum(values) : undefined
    },
    silent: true,
  })
  return BANNER + astToString(ast)
}
