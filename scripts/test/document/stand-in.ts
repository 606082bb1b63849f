/**
 * A gateway made out of the document alone: it validates each request with the generated validators, checks the
 * credentials and answers the first documented example. Identifiers that are chained into later requests are its
 * own, so that a request which merely repeats the document's example is found out.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Document, type Route, routesOf } from '../../generate/document.ts'
import { type Row, rows, type Validator } from './rows.ts'

export interface Served {
  operationId: string
  path: Record<string, string>
  problems: string[]
}

export interface StandIn {
  baseUrl: string
  served: Served[]
  close(): Promise<void>
}

export interface Options {
  clientid: string
  clientsecret: string
  token: string
  /** By operation: what the first example says, and what is answered in its place. */
  instead: Record<string, Record<string, string>>
}

export async function standIn(document: Document, options: Options): Promise<StandIn> {
  const examples = new Map(routesOf(document).map((route) => [route.operation.operationId, exampleOf(route)]))
  const served: Served[] = []

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://stand-in')
    const match = find(request.method, url.pathname)
    if (!match) {
      served.push({
        operationId: `${request.method} ${url.pathname}`,
        path: {},
        problems: ['no such operation'],
      })
      response.writeHead(404).end()
      return
    }
    const { operationId, row, path } = match
    const problems = [
      ...credentialProblems(request, row, options),
      ...validate('path', row.pathParameters, path),
      ...validate('query', row.query, queryOf(url, row.integers ?? [])),
      ...validate('body', row.body, parse(await text(request))),
    ]
    served.push({ operationId, path, problems })
    const answer = replaceAll(examples.get(operationId) ?? '', options.instead[operationId] ?? {})
    response
      .writeHead(problems.length === 0 ? 200 : 400, { 'content-type': 'application/json' })
      .end(problems.length === 0 ? answer : JSON.stringify({ problems }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    served,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  }
}

function exampleOf(route: Route): string {
  const ok = route.operation.responses['200']
  const example = ok && 'content' in ok && Object.values(ok.content['application/json'].examples)[0]
  if (!example) throw new Error(`${route.operation.operationId} has no example of a 200`)
  return JSON.stringify(example.value)
}

function find(method: string | undefined, pathname: string) {
  for (const [operationId, row] of Object.entries(rows)) {
    const pattern = new RegExp(`^${row.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const match = row.method === method && pattern.exec(pathname)
    if (match) {
      const path = Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
      )
      return { operationId, row, path }
    }
  }
  return undefined
}

function credentialProblems({ headers }: IncomingMessage, row: Row, options: Options): string[] {
  const basic = `Basic ${Buffer.from(`${options.clientid}:${options.clientsecret}`).toString('base64')}`
  const problems: string[] = []
  if (headers.authorization !== basic) problems.push(`Authorization: ${headers.authorization}`)
  if (row.wallet && headers['x-wallet'] !== `Token ${options.token}`) {
    problems.push(`X-Wallet: ${headers['x-wallet']}`)
  }
  if (row.body && headers['content-type'] !== 'application/json') {
    problems.push(`Content-Type: ${headers['content-type']}`)
  }
  if (row.idempotent && !/^[!-~]{1,255}$/.test(String(headers['idempotency-key'] ?? ''))) {
    problems.push(`Idempotency-Key: ${headers['idempotency-key']}`)
  }
  return problems
}

function validate(what: string, validator: Validator | undefined, value: unknown): string[] {
  const issues = validator?.safeParse(value).error?.issues ?? []
  return issues.map(({ path, message }) => `${what} ${path.join('/')}: ${message}`)
}

function queryOf({ searchParams }: URL, integers: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    [...searchParams].map(([name, value]) => [name, integers.includes(name) ? Number(value) : value]),
  )
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function replaceAll(json: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), json)
}
