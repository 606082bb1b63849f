import type { Problem, ProblemCode } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { HttpContext } from '../net/server/body.ts'
import type { Operations } from '../net/server/operations.ts'

/** A request of an account that the gateway refused: what a developer needs to correct it, and no secret or text. */
export interface RefusedRequest {
  at: EpochMs
  method: string
  path: string
  status: number
  code: string
  detail: string
  requestId: string
}

interface Kept extends RefusedRequest {
  accountId: string | undefined
}

const MOST_KEPT = 200

/** The newest refused requests, in memory. A request without a known account may belong to any account. */
export class RefusedRequests {
  readonly #kept: Kept[] = []
  readonly #listeners = new Set<(request: Kept) => void>()

  record(accountId: string | undefined, request: RefusedRequest): void {
    const one = { ...request, accountId }
    this.#kept.unshift(one)
    this.#kept.splice(MOST_KEPT)
    for (const listener of this.#listeners) listener(one)
  }

  /** Newest first: an account's, and those of no known account. */
  latest(accountId: string): readonly RefusedRequest[] {
    return this.#kept.filter((request) => isOf(accountId, request))
  }

  /** Calls `hear` for each new one until the returned function is called. */
  listen(accountId: string, hear: (request: RefusedRequest) => void): () => void {
    const listener = (request: Kept) => isOf(accountId, request) && hear(request)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function isOf(accountId: string, request: Kept): boolean {
  return request.accountId === undefined || request.accountId === accountId
}

const LONGEST = 200
/** A caller's value: it may be the text of a message in the wrong field, or a secret. */
const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|'[^']{2,}'/g
/** The type of the body is the one value that stands without quotes, and last. */
const GIVEN_TYPE = /(Expected Content-Type application\/json; got ).*/s

/** Refusals of the credentials themselves. A second look-up would cost as much, fail again, and be shared by the next request. */
const OF_NOBODY: ReadonlySet<ProblemCode> = new Set([
  'invalid_credentials',
  'account_suspended',
] satisfies ProblemCode[])

/** Notes a refused request to the API, for the console's pages. */
export function noteRefusal(
  {
    refused,
    authenticate,
    clock,
  }: { refused: RefusedRequests; authenticate: Operations['authenticate']; clock: Pick<Clock, 'now'> },
  problem: Problem,
  requestId: string,
  c: HttpContext,
): void {
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
  void accountOf(authenticate, problem, c).then((accountId) => refused.record(accountId, request))
}

/** Looked up only here, so that requests that succeed pay nothing. The answer is usually still cached. */
async function accountOf(
  authenticate: Operations['authenticate'],
  { code }: Problem,
  c: HttpContext,
): Promise<string | undefined> {
  if (OF_NOBODY.has(code)) return undefined
  try {
    return (await authenticate(c, { wallet: false, scope: 'sms:read' })).accountId
  } catch {
    return undefined
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
