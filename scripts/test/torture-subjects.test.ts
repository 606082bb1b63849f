import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SUBJECTS } from '../torture/subjects.ts'

const root = join(import.meta.dirname, '../..')
const tests = Object.values(SUBJECTS).flatMap((subject) => subject.tests)

it('has every torture test in one subject', () => {
  const files = globSync('{packages/*/test,scripts/test,examples}/**/*.torture.test.ts', { cwd: root })
  const places = files.map((file) => [file, tests.filter((test) => file.startsWith(test)).length])
  expect(places.filter(([, count]) => count !== 1)).toEqual([])
})

it('has a torture test in every place that a subject names', () => {
  const files = globSync('{packages/*/test,scripts/test,examples}/**/*.torture.test.ts', { cwd: root })
  expect(tests.filter((test) => !files.some((file) => file.startsWith(test)))).toEqual([])
})
