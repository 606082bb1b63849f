import { operations } from '@wigwag/contract/operations'
import type { Hono } from 'hono'
import type * as z from 'zod'
import { Problem } from '../../kernel/errors.ts'
import type { Principal, Scope } from '../../kernel/principal.ts'
import { nextTurn } from '../../kernel/process/event-loop.ts'
import type { Wants } from '../callers/auth.ts'
import { fingerprintOf, type HttpContext, idempotencyKey, note, readBody } from './body.ts'
import type { Call, Handlers, OperationId, Reply } from './handler.ts'
import { parseJson, type Validation } from './validate.ts'

/** The documented operations, and what each goes through first. */
export interface Operations {
  handlers: Handlers
  /** Identifies the caller. Throws a problem when it cannot. */
  authenticate(c: HttpContext, wants: Wants): Promise<Principal>
  /** The rate-limit headers for every response to this principal. Throws a problem when it is over the limit. */
  limit?(principal: Principal): Record<string, string>
  /** How many bytes the body of an operation may have. */
  bodyLimit(operation: OperationId): number
  validation: Validation
  requestId(): string
}

/** One row of the generated table of operations. */
interface Row {
  method: string
  path: string
  wallet: boolean
  scope?: Scope
  pathParameters?: z.ZodType
  query?: z.ZodType
  integers?: readonly string[]
  body?: z.ZodType
  idempotent?: true
}

/** The paths of the document. Literal paths come first, or those with parameters would match them. */
const PATHS = [...Map.groupBy(Object.entries<Row>(operations), ([, { path }]) => path)]
  .sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')))
  .map(([path, rows]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    rows,
    methods: rows.map(([, { method }]) => method),
  }))

/** Mounts the documented operations. Errors are thrown and rendered by the app. */
export function mountOperations(app: Hono, options: Operations): void {
  for (const { path, rows, methods } of PATHS) {
    for (const [id, row] of rows) {
      app.on(row.method, path, operation(id as OperationId, row, options))
    }
    // Without this, a path with a parameter would match this literal path for the other methods.
    const taken = PATHS.filter((other) => other.path !== path && other.pattern.test(path))
    const others = taken.flatMap((other) => other.methods).filter((method) => !methods.includes(method))
    if (others.length > 0)
      app.on(others, path, (c) => {
        throw otherMethod(c.req.path)
      })
  }
}

/**
 * The problem for a documented path requested with a wrong method. Looked up only after no route matched: a route for
 * every other method would make each request match two routes, and Hono would have to compose them.
 */
export function otherMethod(requested: string): Problem | undefined {
  const known = PATHS.find(({ pattern }) => pattern.test(requested))
  if (!known) return undefined
  return new Problem('method_not_allowed', `Expected ${known.methods.join(' or ')}.`, {
    headers: { allow: known.methods.join(', ') },
  })
}

/** The documented operation at an address, `POST /v1/messages/sms`; undefined where there is none. */
export function operationAt(method: string, requested: string): string | undefined {
  const known = PATHS.find(({ pattern, methods }) => pattern.test(requested) && methods.includes(method))
  return known && `${method} ${known.path}`
}

function operation<O extends OperationId>(id: O, row: Row, options: Operations) {
  const handler = options.handlers[id]
  const limit = options.bodyLimit(id)
  const { validation } = options
  return async function answer(c: HttpContext): Promise<Response> {
    note(c, { operation: id })
    const principal = await options.authenticate(c, row)
    note(c, { accountId: principal.accountId })
    const headers = options.limit?.(principal)
    const bytes = row.body ? await readJsonBytes(c, limit) : undefined
    const key = row.idempotent ? idempotencyKey(c.req.header('idempotency-key')) : undefined
    const call = {
      principal,
      path: row.pathParameters && pathOf(row.pathParameters, c.req.param(), validation),
      query: row.query ? validation.validate(row.query, queryOf(c, row.integers ?? [])) : {},
      body: row.body && bytes && (await bodyOf(row.body, bytes, validation)),
      idempotency: key !== undefined && bytes ? { key, fingerprint: fingerprintOf(bytes) } : undefined,
    }
    // Safe cast: the validators and the call's type are generated from the same document.
    const reply = await handler(call as Call<O>)
    const requestId = options.requestId()
    note(c, { requestId })
    return respond(reply, requestId, headers)
  }
}

function respond<O extends OperationId>(
  reply: Reply<O>,
  requestId: string,
  limits: Record<string, string> | undefined,
): Response {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...limits,
  }
  if (!('json' in reply)) return new Response(JSON.stringify(reply.body), { headers })
  if (reply.replayed) headers['idempotent-replayed'] = 'true'
  return new Response(reply.json, { headers })
}

async function readJsonBytes(c: HttpContext, limit: number): Promise<Buffer> {
  const type = c.req.header('content-type')
  if (type !== 'application/json' && !/^application\/json\s*(;|$)/i.test(type ?? '')) {
    throw new Problem(
      'unsupported_media_type',
      `Expected Content-Type application/json; got ${type ? type.slice(0, 100) : 'none'}.`,
    )
  }
  return readBody(c, limit)
}

/** Parsing and checking this much, one at a time, takes less than a millisecond, unless all of it is wrong. */
const SHORT = 65_536

/** The checked body. A long one is parsed, checked and handled in a turn of the event loop each. */
async function bodyOf(validator: z.ZodType, bytes: Buffer, validation: Validation): Promise<unknown> {
  if (bytes.length <= SHORT) return validation.validateInSlices(validator, parseJson(bytes))
  await nextTurn()
  const parsed = parseJson(bytes)
  await nextTurn()
  const body = await validation.validateInSlices(validator, parsed)
  await nextTurn()
  return body
}

/** Ids and tickets are not validated: a malformed one is looked up and answers 404 like any unknown one. */
function pathOf(validator: z.ZodType, parameters: Record<string, string>, validation: Validation): unknown {
  return 'ticket' in parameters || 'id' in parameters
    ? parameters
    : validation.validate(validator, parameters)
}

/** The query as the validators expect it: integers as numbers, and the first value of a repeated name. */
function queryOf(c: HttpContext, integers: readonly string[]): Record<string, unknown> {
  const query: Record<string, unknown> = c.req.query()
  for (const name of integers) {
    const text = query[name]
    if (typeof text === 'string' && /^-?\d{1,15}$/.test(text)) query[name] = Number(text)
  }
  return query
}
