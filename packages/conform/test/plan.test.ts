import { expect, it } from 'vitest'
import { plan } from '../src/plan.ts'

it('has names of checks that are used once', () => {
  const ids = plan.flatMap(({ checks }) => checks.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})
