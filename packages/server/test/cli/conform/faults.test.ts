import { describe, expect, it } from 'vitest'
import { plan } from '../../../src/cli/conform/plan.ts'
import { faults } from './faults.ts'
import { idsOf, tryPlain } from './tried.ts'

const checks = plan.flatMap(({ checks }) => checks)

describe.concurrent('a fault of a server', () => {
  it.each(faults)('is found by the check that is about it: %s (%s)', async (_, id, fault) => {
    const { outcomes } = await tryPlain(fault, { waitMs: 3_000 })
    const isMust = checks.some((check) => check.id === id && check.level === 'must')
    expect(idsOf(outcomes, 'must', 'failed')).toEqual(isMust ? [id] : [])
    expect(outcomes.filter(({ state }) => state === 'failed').map(({ id }) => id)).toContain(id)
  })
})

it('is planted for every must', () => {
  const planted = faults.map(([, id]) => id)
  expect(checks.filter(({ id, level }) => level === 'must' && !planted.includes(id))).toEqual([])
})
