import { type Context, Hono } from 'hono'
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import { Problem } from '../../kernel/errors.ts'
import { errorPage } from '../pages/error.tsx'
import { pageReply } from '../pages/reply.ts'
import { type HttpContext, note } from './body.ts'
import { mountLlms } from './llms.ts'
import { mountOperations, type Operations, otherMethod } from './operations.ts'
import { internalError, renderProblem } from './problems.ts'
import { mountReference } from './reference.ts'

/** The operations and hooks that the app is built from. */
export interface AppContent extends Operations {
  /** Whether requests can be answered. False during shutdown, and while the store takes no writes. */
  ready(): boolean | Promise<boolean>
  /** The gateway's public address, if set. */
  publicUrl: string | undefined
  /** The problem that a caller gets for an error; undefined for an unexpected error. */
  problemOf(error: unknown): Problem | undefined
  /** Adds routes that are not in the OpenAPI document. */
  mountMore?(app: Hono, parts: RouteParts): void
  /** Called with every problem that a caller gets, before the answer. */
  onRefused?(problem: Problem, requestId: string, c: HttpContext): void
  /** Called with every unexpected error and the request id that the caller got. */
  onFault(error: unknown, requestId: string): void
}

/** The parts that a route needs to authenticate its caller and validate input. */
export type RouteParts = Pick<Operations, 'authenticate' | 'validation'>

/** The gateway's HTTP app, with every route of the OpenAPI document. */
export function buildApp(options: AppContent): Hono {
  const app = new Hono({ router: new CachingRouter() })
  mountOperations(app, options)
  mountHealth(app, options.ready)
  mountReference(app, options.publicUrl)
  mountLlms(app, options.publicUrl)
  function refuse(problem: Problem, c: Context, requestId = options.requestId()): Response {
    options.onRefused?.(problem, requestId, c)
    return answer(problem, requestId, c)
  }

  options.mountMore?.(app, options)
  app.notFound((c) => {
    const { method, path } = c.req
    // A browser's address bar asks for a page, programs don't.
    if (method === 'GET' && c.req.header('accept')?.startsWith('text/html')) return nothingHere()
    const nothing = `There is nothing at ${method} ${path}. The operations are at /docs.`
    return refuse(otherMethod(path) ?? new Problem('route_not_found', nothing), c)
  })
  app.onError((error, c) => {
    const requestId = options.requestId()
    const problem = options.problemOf(error)
    if (problem) return refuse(problem, c, requestId)
    options.onFault(error, requestId)
    return answer(internalError(), requestId, c)
  })
  return app
}

function answer(problem: Problem, requestId: string, c: Context): Response {
  note(c, { requestId, code: problem.code })
  return renderProblem(problem, requestId)
}

function nothingHere(): Response {
  const page = errorPage({
    title: 'There is nothing here',
    text: 'No page has this address. It may be misspelled.',
    link: { href: '/', text: 'Go to the start' },
  })
  return pageReply(page, { status: 404 })
}

/** Serves `/livez` and `/readyz`. */
function mountHealth(app: Hono, ready: AppContent['ready']): void {
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) =>
    (await ready())
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready' }, 503, { 'retry-after': '1' }),
  )
}

/**
 * Hono's fastest router cannot tell paths such as `/v1/messages/sms` and `/v1/messages/:id` apart, so this uses the
 * trie router and caches its results for literal paths.
 */
export class CachingRouter<T> implements Router<T> {
  readonly name = 'remembering'
  readonly #trie = new TrieRouter<T>()
  readonly #spelledOut = new Map<string, Map<string, Result<T>>>()

  add(method: string, path: string, handler: T): void {
    this.#trie.add(method, path, handler)
    for (const answers of this.#spelledOut.values()) answers.clear()
    if (!/[:*]/.test(path)) this.#spelledOut.set(path, new Map())
  }

  match(method: string, path: string): Result<T> {
    const known = this.#spelledOut.get(path)
    const found = known?.get(method) ?? this.#trie.match(method, path)
    known?.set(method, found)
    return found
  }
}
