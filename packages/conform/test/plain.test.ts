import { expect, it } from 'vitest'
import { idsOf, tryPlain } from './tried.ts'

it('passes every must on a server that has the specification and nothing more', async () => {
  const { outcomes } = await tryPlain()
  expect(outcomes.filter(({ level, state }) => level === 'must' && state !== 'passed')).toEqual([])
  expect(idsOf(outcomes, 'may', 'failed')).toContain('errors.problem')
})
