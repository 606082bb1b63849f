import { describe, expect, it } from 'vitest'
import { plan } from '../src/plan.ts'
import { faults } from './faults.ts'
import { findsAlone } from './found.ts'

const checks = plan.flatMap(({ checks }) => checks)

/** Tried with the part of the plan that the check is in. What else would find it is asked with the whole plan. */
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
