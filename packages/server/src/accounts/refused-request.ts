import type { Problem, ProblemCode } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { clientIdOf } from '../net/callers/auth.ts'
import type { HttpContext } from '../net/server/body.ts'
import type { Operations } from '../net/server/operations.ts'

/** A request to the API that the gateway refused: what a developer needs to correct it, and no secret or text. */
export interface RefusedRequest {
  at: EpochMs
  method: string
  path: string
  status: number
  code: string
  detail: string
  requestId: string
}

/** The account where it is known, and the client ID that was given, proven or not. */
export interface RefusedCaller {
  accountId: string | undefined
  clientId: string | undefined
}

const LONGEST = 200
/** So much of a detail is looked through: what is searched for in longer ones would take ever longer. */
const LOOKED_THROUGH = 2_000
/** A caller's value: it may be the text of a message in the wrong field, or a secret. */
const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|'[^']{2,}'/g
/** So does the end of an address, which only an id of ours may be told again. */
const GIVEN_ID =
  /^(This account has no (?:transaction|key|callback)) (?![0-9a-f-]{36}\.).*?\.(?= Messages from before |$)/is
/** The type of the body is the one value that stands without quotes, and last. */
const GIVEN_TYPE = /(Expected Content-Type application\/json; got ).*/s

/** Refusals of the credentials themselves. A second look-up would cost as much, fail again, and be shared by the next request. */
const OF_NOBODY: ReadonlySet<ProblemCode> = new Set([
  'invalid_credentials',
  'account_suspended',
] satisfies ProblemCode[])

/** Notes a refused request to the API. */
export function noteRefusal(
  {
    record,
    authenticate,
    clock,
  }: {
    record(caller: RefusedCaller, request: RefusedRequest): void
    authenticate: Operations['authenticate']
    clock: Pick<Clock, 'now'>
  },
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
  const clientId = clientIdOf(c)
  void accountOf(authenticate, problem, c).then((accountId) => {
    // A stranger may name any client: only that it was not proven is told to whose it is.
    const named = accountId !== undefined || OF_NOBODY.has(problem.code) ? clientId : undefined
    record({ accountId, clientId: named }, request)
  })
}

/** Looked up only here, so that requests that succeed pay nothing. The answer is usually still cached. */
async function accountOf(
  authenticate: Operations['authenticate'],
  { code }: Problem,
  c: HttpContext,
): Promise<string | undefined> {
  if (OF_NOBODY.has(code)) return undefined
  const known = c.env?.exchange?.accountId
  if (known !== undefined) return known
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
  return detail
    .slice(0, LOOKED_THROUGH)
    .replace(GIVEN_ID, '$1 “…”.')
    .replace(QUOTED, '“…”')
    .replace(GIVEN_TYPE, '$1something else.')
    .slice(0, LONGEST)
}
