import { describe, expect, it } from 'vitest'
import { plan } from '../src/plan.ts'
import { faults } from './faults.ts'
import { findsAlone } from './found.ts'

const checks = plan.flatMap(({ checks }) => checks)

/**
 * Runs only the part of the plan with the check. faults.program.test.ts runs the whole plan against each
 * fault.
 */
describe.concurrent('a fault of a server', () => {
  it.each(faults)('is found by the check that is about it: %s (%s)', async (_, id, fault) => {
    await findsAlone(
      id,
      fault,
      plan.filter((part) => part.checks.some((check) => check.id === id)),
    )
  })
})

it('is planted for every must', () => {
  const planted = faults.map(([, id]) => id)
  expect(checks.filter(({ id, level }) => level === 'must' && !planted.includes(id))).toEqual([])
})
