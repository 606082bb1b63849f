import { Hono } from 'hono'
import { Problem } from '../../domain/errors.ts'
import type { TargetRefusal } from '../outbound/port.ts'
import { createFieldRules } from './field-rules.ts'
import { mountPlatform, type PlatformOptions } from './health.ts'
import { mountOperations, type OperationsOptions, otherMethod } from './operations.ts'
import { internalError, renderProblem } from './problems.ts'
import { mountReference } from './reference.ts'
import { createRouter } from './router.ts'
import { createValidate } from './validate.ts'

export interface AppOptions extends Omit<OperationsOptions, 'validate'>, PlatformOptions {
  /** Says why callbacks to a URL are refused, if they are. */
  targetRefusal: TargetRefusal
  /** The problem that a caller gets for an error; undefined for an unexpected error. */
  problemOf(error: unknown): Problem | undefined
  /** Adds routes that are not in the OpenAPI document. */
  mountMore?(app: Hono, means: RouteMeans): void
  /** Called with every unexpected error and the request id that the caller got. */
  onFault(error: unknown, requestId: string): void
}

/** What a route needs to authenticate its caller and validate input. */
export type RouteMeans = Pick<OperationsOptions, 'authenticate' | 'validate'>

/** The gateway's HTTP app, with every route of the OpenAPI document. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono({ router: createRouter() })
  const validate = createValidate(createFieldRules(options.targetRefusal))
  mountOperations(app, { ...options, validate })
  mountPlatform(app, options)
  mountReference(app)
  options.mountMore?.(app, { authenticate: options.authenticate, validate })
  app.notFound((c) => {
    const { method, path } = c.req
    const nothing = `There is nothing at ${method} ${path}. The operations are at /docs.`
    return renderProblem(otherMethod(path) ?? new Problem('route_not_found', nothing), options.requestId())
  })
  app.onError((error) => {
    const requestId = options.requestId()
    const problem = options.problemOf(error)
    if (problem) return renderProblem(problem, requestId)
    options.onFault(error, requestId)
    return renderProblem(internalError(), requestId)
  })
  return app
}
