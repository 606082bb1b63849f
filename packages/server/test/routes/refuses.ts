import { zProblem } from '@wigwag/contract/validators'
import { expect } from 'vitest'
import { catalogue, type ProblemCode } from '../../src/kernel/errors.ts'
import { TWO_FULL_STOPS } from '../support/full-stops.ts'
import type { Harness } from '../support/harness.ts'

const SENTENCE = /^[A-Z][\s\S]*\.$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Expected {
  /** Headers that the answer must carry. */
  headers?: Record<string, string | RegExp>
  /** The invalid fields: pointer and code, in order. */
  errors?: Record<string, ProblemCode>
  detail?: string | RegExp
}

/** Expects the documented problem, all of it and nothing else. */
export async function expectProblem(
  response: Response,
  code: ProblemCode,
  expected: Expected = {},
): Promise<void> {
  const [status, title] = catalogue[code]
  const problem = zProblem.strict().parse(await response.json())
  expect(problem).toMatchObject({ type: 'about:blank', title, status, code })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(problem.requestId).toBe(response.headers.get('x-request-id'))
  expect(problem.requestId).toMatch(UUID)
  expectSentence(problem.detail)
  if (expected.detail) expect(problem.detail).toMatch(expected.detail)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    expect(response.headers.get(name)).toEqual(
      typeof value === 'string' ? value : expect.stringMatching(value),
    )
  }
  const pairs = problem.errors?.map(({ pointer, code }) => [pointer, code])
  expect(pairs).toEqual(expected.errors && Object.entries(expected.errors))
  for (const { detail } of problem.errors ?? []) expectSentence(detail)
}

function expectSentence(detail: string): void {
  expect(detail).toMatch(SENTENCE)
  expect(detail).not.toMatch(TWO_FULL_STOPS)
}

/** Expects a request to be refused, and to leave nothing behind: no hold, no message, no job, no key. */
export async function refuses(
  harness: Harness,
  request: () => Response | Promise<Response>,
  code: ProblemCode,
  expected: Expected = {},
): Promise<void> {
  const before = await traces(harness)
  await expectProblem(await request(), code, expected)
  expect(await traces(harness)).toEqual(before)
}

/** Everything that a send leaves behind. */
export function traces({ database }: Pick<Harness, 'database'>) {
  return database.read(async ({ run }) => ({
    wallets: await run('SELECT id, posted, held, entries FROM wallets ORDER BY id', []),
    messages: await run('SELECT id, status FROM messages ORDER BY id', []),
    jobs: await run('SELECT id FROM outbox ORDER BY id', []),
    keys: await run('SELECT scope FROM idempotency ORDER BY scope', []),
    callbacks: await run('SELECT id FROM callbacks ORDER BY id', []),
  }))
}
