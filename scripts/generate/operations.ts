/** openapi.yaml → the server's route table: where each operation is, who may call it, what validates its parts. */
import { BANNER, type Document, pascal, type Route, routesOf } from './document.ts'

export function operationsTable(document: Document): string {
  const codes = document.components.schemas.ProblemCode?.['x-extensible-enum'] ?? []
  return `${BANNER}
import * as validators from './validators.ts'

export const operations = {
${routesOf(document).map(entry).join('\n')}
} as const

export const problemCodes = [
${codes.map((code) => `  '${code}',`).join('\n')}
] as const
`
}

function entry({ method, path, operation, parameters }: Route): string {
  const name = pascal(operation.operationId)
  const [own = {}, delegated = {}] = operation.security
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const lines = [
    `method: '${method.toUpperCase()}'`,
    `path: '${path.replace(/\{(\w+)\}/g, ':$1')}'`,
    `wallet: ${'walletToken' in own}`,
    delegated.delegatedToken && `scope: '${delegated.delegatedToken[0]}'`,
    `extension: ${operation['x-extension'] === true}`,
    parameters.some((parameter) => parameter.in === 'path') && `pathParameters: validators.z${name}Path`,
    query.length > 0 && `query: validators.z${name}Query`,
    query.length > 0 &&
      `integers: [${query.filter((p) => isInteger(p.schema.type)).map((p) => `'${p.name}'`)}]`,
    operation.requestBody && `body: validators.z${name}Body`,
    parameters.some((parameter) => parameter.name === 'Idempotency-Key') && 'idempotent: true',
  ]
  return `  ${operation.operationId}: {\n${lines
    .filter((line) => line !== undefined && line !== false)
    .map((line) => `    ${line},`)
    .join('\n')}\n  },`
}

function isInteger(type: string | undefined): boolean {
  return type === 'integer'
}
