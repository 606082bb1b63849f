import { expect } from 'vitest'
import { type Part, plan } from '../src/plan.ts'
import type { Rules } from './plain-server.ts'
import { idsOf, tryPlain } from './tried.ts'

/** Expects of some parts of the plan that one check, and no other that every server must pass, finds a fault. */
export async function findsAlone(id: string, fault: Partial<Rules>, parts: readonly Part[]): Promise<void> {
  const { outcomes } = await tryPlain(fault, { waitMs: 3_000, plan: parts })
  const checks = plan.flatMap(({ checks }) => checks)
  const isMust = checks.some((check) => check.id === id && check.level === 'must')
  expect(idsOf(outcomes, 'must', 'failed')).toEqual(isMust ? [id] : [])
  expect(outcomes.filter(({ state }) => state === 'failed').map(({ id }) => id)).toContain(id)
}
