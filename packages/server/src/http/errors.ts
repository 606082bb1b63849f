import { type FieldError, Problem } from '../domain/errors.ts'
import type { problemCodes } from '../generated/operations.ts'

/** The codes of the document. One that only the catalogue knows cannot be rendered, and does not compile. */
type Documented = (typeof problemCodes)[number]

/** The body of every error response: `application/problem+json`, after RFC 9457. */
export interface ProblemBody {
  type: 'about:blank'
  title: string
  status: number
  detail: string
  code: Documented
  requestId: string
  errors?: readonly FieldError[]
}

/** The one place where an error becomes a response. */
export function renderProblem(problem: Problem, requestId: string): Response {
  const body: ProblemBody = {
    type: 'about:blank',
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
  }
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: { ...problem.headers, 'content-type': 'application/problem+json', 'x-request-id': requestId },
  })
}

/** An error that nobody expected tells the caller only where to find it in the logs. */
export function internalError(): Problem {
  return new Problem('internal_error', 'Nothing is known of the cause here. Quote the requestId to support.')
}
