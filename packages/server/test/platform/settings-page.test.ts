import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { names } from '../../src/config/setting-values.ts'

const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8')

/** Only for tests, and for people who make demonstrations. */
const UNTOLD = ['WIGWAG_DEMO_BALANCE']

it('every setting is on the page of settings, and nothing else is', () => {
  const rows = [...page.matchAll(/^\| (`[A-Z][^|]*) \|(.*)$/gm)]
  const told = rows.flatMap(([row]) => row.match(/\b(?:WIGWAG|OTEL)_[A-Z_]+\b/g) ?? [])
  expect([...new Set(told)].sort()).toEqual(
    Object.values(names)
      .filter((name) => !UNTOLD.includes(name))
      .sort(),
  )
})
