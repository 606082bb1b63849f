import { operations } from '@wigwag/contract/operations'
import { describe, it } from 'vitest'
import { shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']
const byPath = Map.groupBy(Object.values(operations), ({ path }) => path)
const cases = [...byPath].map(
  ([path, rows]) => [path.replace(/:\w+/g, 'x'), rows.map(({ method }) => method)] as const,
)

describe('the platform: 405', () => {
  const harness = shareHarness()

  it.each(cases)(
    'answers any method on %s but %j with method_not_allowed, and names these in Allow',
    async (path, own) => {
      const allow = own.join(', ')
      const expected = { headers: { allow }, detail: `Expected ${own.join(' or ')}.` }
      for (const method of METHODS.filter((name) => !own.some((mine) => mine === name))) {
        const request = () => harness().call(method, path, { authorization: undefined })
        await refuses(harness(), request, 'method_not_allowed', expected)
      }
    },
  )
})
