import type { Problem, ProblemCode } from '../domain/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { HttpContext } from '../platform/http/body.ts'
import type { OperationsOptions } from '../platform/http/operations.ts'
import type { RefusedRequests } from './refused.ts'

export interface RefusalNotes {
  refused: RefusedRequests
  authenticate: OperationsOptions['authenticate']
  clock: Clock
}

const LONGEST = 200
/** What a caller gave: it may be the text of a message in the wrong field, or a secret. */
const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|'[^']{2,}'/g
/** The type of the body is the one value that stands without quotes, and last. */
const GIVEN_TYPE = /(Expected Content-Type application\/json; got ).*/s

/** Refusals of the credentials themselves. A second look-up would cost as much, fail again, and be shared by the next request. */
const OF_NOBODY: ReadonlySet<ProblemCode> = new Set([
  'invalid_credentials',
  'account_suspended',
] satisfies ProblemCode[])

/** Notes refused requests to the API, for the console's pages. */
export function createNoteRefusal({ refused, authenticate, clock }: RefusalNotes) {
  return function noteRefusal(problem: Problem, requestId: string, c: HttpContext): void {
    if (!isForApi(c)) return
    const { method, path } = c.req
    const request = {
      at: clock.now(),
      method: method.slice(0, LONGEST),
      path: path.slice(0, LONGEST),
      status: problem.status,
      code: problem.code,
      detail: withoutValues(problem.message),
      requestId,
    }
    void accountOf(problem, c).then((accountId) => refused.record(accountId, request))
  }

  /** Looked up only here, so that requests that succeed pay nothing. The answer is usually still cached. */
  async function accountOf({ code }: Problem, c: HttpContext): Promise<string | undefined> {
    if (OF_NOBODY.has(code)) return undefined
    try {
      return (await authenticate(c, { wallet: false, scope: 'sms:read' })).accountId
    } catch {
      return undefined
    }
  }
}

/** Requests to the API: by their path, or by credentials that no page has. */
function isForApi({ req }: HttpContext): boolean {
  return req.path.startsWith('/v1/') || /^basic /i.test(req.header('authorization') ?? '')
}

/** The detail of a problem without what the caller gave. */
export function withoutValues(detail: string): string {
  return detail.replace(QUOTED, '“…”').replace(GIVEN_TYPE, '$1something else.').slice(0, LONGEST)
}
