import { Hono } from 'hono'
import { Problem } from '../domain/errors.ts'
import type { TargetRefusal } from '../gateway/ports.ts'
import { internalError, renderProblem } from './errors.ts'
import { createFieldRules } from './field-rules.ts'
import { mountOperations, type OperationsOptions, otherMethod } from './operations.ts'
import { mountPlatform, type PlatformOptions } from './platform.ts'
import { mountReference } from './reference.ts'
import { createRouter } from './router.ts'
import { mountSandbox, type SandboxControls } from './sandbox.ts'
import { createValidate } from './validate.ts'

export interface AppOptions extends Omit<OperationsOptions, 'validate'>, PlatformOptions {
  /** Why a callback could never be posted to a URL. */
  targetRefusal: TargetRefusal
  /** What a caller is told of an error; undefined when it is a fault of ours. */
  problemOf(error: unknown): Problem | undefined
  /** The controls for tests; absent in production. */
  sandbox?: Omit<SandboxControls, 'authenticate' | 'validate'>
  /** Told of every error that is ours, with the id that the caller was given. */
  onFault(error: unknown, requestId: string): void
}

/** The gateway's front door. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono({ router: createRouter() })
  const validate = createValidate(createFieldRules(options.targetRefusal))
  mountOperations(app, { ...options, validate })
  mountPlatform(app, options)
  mountReference(app)
  if (options.sandbox) mountSandbox(app, { ...options.sandbox, authenticate: options.authenticate, validate })
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
