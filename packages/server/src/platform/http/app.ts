import { type Context, Hono } from 'hono'
import { Problem } from '../../domain/errors.ts'
import { errorPage } from '../pages/error.ts'
import { pageReply } from '../pages/reply.ts'
import { type HttpContext, note } from './body.ts'
import { mountPlatform, type PlatformOptions } from './health.ts'
import { mountOperations, type OperationsOptions, otherMethod } from './operations.ts'
import { internalError, renderProblem } from './problems.ts'
import { mountReference } from './reference.ts'
import { createRouter } from './router.ts'

export interface AppOptions extends OperationsOptions, PlatformOptions {
  /** The problem that a caller gets for an error; undefined for an unexpected error. */
  problemOf(error: unknown): Problem | undefined
  /** Adds routes that are not in the OpenAPI document. */
  mountMore?(app: Hono, parts: RouteParts): void
  /** Called with every problem that a caller gets, before the answer. */
  onRefused?(problem: Problem, requestId: string, c: HttpContext): void
  /** Called with every unexpected error and the request id that the caller got. */
  onFault(error: unknown, requestId: string): void
}

/** What a route needs to authenticate its caller and validate input. */
export type RouteParts = Pick<OperationsOptions, 'authenticate' | 'validate'>

/** The gateway's HTTP app, with every route of the OpenAPI document. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono({ router: createRouter() })
  mountOperations(app, options)
  mountPlatform(app, options)
  mountReference(app)
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
