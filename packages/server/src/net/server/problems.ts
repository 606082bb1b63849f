import type { problemCodes } from '@wigwag/contract/operations'
import { type FieldError, Problem } from '../../kernel/errors.ts'
import type { Scope } from '../../kernel/principal.ts'
import { RowLocked, StoreUnavailable } from '../../store/database.ts'

/** The documented error codes. Rendering a code that the document lacks does not compile. */
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

/** The problem for an unexpected error. It reveals nothing but the request id, which finds it in the logs. */
export function internalError(): Problem {
  return new Problem('internal_error', 'An unexpected error occurred. Quote the requestId to support.')
}

/** The problem that a caller gets for an error; undefined when the error is unexpected. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnavailable || error instanceof RowLocked) {
    return new Problem('unavailable', 'The store cannot take the request now; repeat it in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }
  return undefined
}

/** The problem for an access token that is not valid, with the challenge of RFC 6750. */
export function invalidToken(): Problem {
  return new Problem(
    'invalid_credentials',
    'Expected an access token that is valid; this one is unknown, has expired or was revoked. Get a new one.',
    { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  )
}

/** The problem for an access token that lacks a scope, with the challenge of RFC 6750. */
export function insufficientScope(scope: Scope): Problem {
  return new Problem(
    'insufficient_scope',
    `This needs the scope ${scope}, which the person who made the connection did not allow it.`,
    { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } },
  )
}

/** The problem while an account moves to another database. A caller that tries again loses nothing. */
export function accountMoving(): Problem {
  const detail =
    'The account is moving to another database, once its messages have ended. Nothing was accepted: repeat the request later.'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '30' } })
}
