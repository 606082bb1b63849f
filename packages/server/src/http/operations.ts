import type { Hono } from 'hono'
import type * as z from 'zod'
import { Problem } from '../domain/errors.ts'
import type { Principal, Scope } from '../gateway/principal.ts'
import { operations } from '../generated/operations.ts'
import type { Wants } from './auth.ts'
import { type HttpContext, readBody } from './body.ts'
import type { Call, Handlers, OperationId, Reply } from './handler.ts'
import { fingerprintOf, idempotencyKey } from './idempotency.ts'
import { parseJson, type Validate } from './validate.ts'

export interface OperationsOptions {
  handlers: Handlers
  /** Who is calling; throws the problem that turns the caller away. */
  authenticate(c: HttpContext, wants: Wants): Promise<Principal>
  /** Headers that every answer to this principal carries, or the problem that it calls too often. */
  limit?(principal: Principal): Record<string, string>
  bodyLimits: { single: number; bulk: number }
  validate: Validate
  requestId(): string
}

/** One row of the generated table, seen without its particulars. */
interface Row {
  method: string
  path: string
  wallet: boolean
  scope: Scope
  pathParameters?: z.ZodType
  query?: z.ZodType
  integers?: readonly string[]
  body?: z.ZodType
  idempotent?: true
}

/** The paths of the document. One with parameters comes after all that are spelled out, or it would swallow them. */
const PATHS = [...Map.groupBy(Object.entries<Row>(operations), ([, { path }]) => path)]
  .sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')))
  .map(([path, rows]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    rows,
    methods: rows.map(([, { method }]) => method),
  }))

/** Serves the operations of the document. Errors are thrown, and rendered by the app. */
export function mountOperations(app: Hono, options: OperationsOptions): void {
  for (const { path, rows, methods } of PATHS) {
    for (const [id, row] of rows) {
      const limit = id === 'sendBulkSms' ? options.bodyLimits.bulk : options.bodyLimits.single
      app.on(row.method, path, operation(id as OperationId, row, limit, options))
    }
    // A parameter of another path would take this one for its value.
    const taken = PATHS.filter((other) => other.path !== path && other.pattern.test(path))
    const others = taken.flatMap((other) => other.methods).filter((method) => !methods.includes(method))
    if (others.length > 0)
      app.on(others, path, (c) => {
        throw otherMethod(c.req.path)
      })
  }
}

/**
 * Why a path of the document does not take a request's method. Only such a request looks for its path once more: with
 * a route for every other method, each request would match two, and Hono would have to compose them.
 */
export function otherMethod(requested: string): Problem | undefined {
  const known = PATHS.find(({ pattern }) => pattern.test(requested))
  if (!known) return undefined
  return new Problem('method_not_allowed', `Expected ${known.methods.join(' or ')}.`, {
    headers: { allow: known.methods.join(', ') },
  })
}

function operation<O extends OperationId>(id: O, row: Row, limit: number, options: OperationsOptions) {
  const handler = options.handlers[id]
  const { validate } = options
  return async function answer(c: HttpContext): Promise<Response> {
    const principal = await options.authenticate(c, row)
    const headers = options.limit?.(principal)
    const bytes = row.body ? await readJsonBytes(c, limit) : undefined
    const key = row.idempotent ? idempotencyKey(c.req.header('idempotency-key')) : undefined
    const call = {
      principal,
      path: row.pathParameters && pathOf(row.pathParameters, c.req.param(), validate),
      query: row.query ? validate(row.query, queryOf(c, row.integers ?? [])) : {},
      body: row.body && bytes && validate(row.body, parseJson(bytes)),
      idempotency: key !== undefined && bytes ? { key, fingerprint: fingerprintOf(bytes) } : undefined,
    }
    // The validators are made from the same document as the type of the call.
    return respond(await handler(call as Call<O>), options.requestId(), headers)
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

/** An id that cannot be one is looked for like any other, and not found: what names a thing answers 404. */
function pathOf(validator: z.ZodType, parameters: Record<string, string>, validate: Validate): unknown {
  return 'ticket' in parameters || 'id' in parameters ? parameters : validate(validator, parameters)
}

/** The query as the validators want it: a number for an integer, and for a repeated name the first value. */
function queryOf(c: HttpContext, integers: readonly string[]): Record<string, unknown> {
  const query: Record<string, unknown> = c.req.query()
  for (const name of integers) {
    const text = query[name]
    if (typeof text === 'string' && /^-?\d{1,15}$/.test(text)) query[name] = Number(text)
  }
  return query
}
