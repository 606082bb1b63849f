import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plan } from '../../../src/cli/conform/plan.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/conform.md'), 'utf8')

it('has every check in the table of its page, in the order of the run', () => {
  const rows = plan.flatMap(({ heading, checks }) => [
    `### ${heading}`,
    ...checks.map(({ id, level, source, expects }) => `| \`${id}\` | ${level} | ${source} | ${expects} |`),
  ])
  const found = page
    .slice(page.indexOf('## The checks'))
    .split('\n')
    .filter((line) => /^### |^\| `/.test(line))
  expect(found).toEqual(rows)
})

it('has names of checks that are used once', () => {
  const ids = plan.flatMap(({ checks }) => checks.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})
