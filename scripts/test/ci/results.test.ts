import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readResults } from '../../ci/results.ts'

const CHECKOUT = '/checkout'

function written(testResults: object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-results-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'results.json')
  writeFileSync(path, JSON.stringify({ numPassedTests: 7, testResults }))
  return readResults(path, CHECKOUT)
}

const green = { status: 'passed', ancestorTitles: ['a wallet'], title: 'holds', failureMessages: [] }
const red = {
  ...green,
  status: 'failed',
  title: 'costs $1 (each)',
  failureMessages: ['Error: one', 'Error: two'],
}
const file = { name: `${CHECKOUT}/packages/a.test.ts`, status: 'failed', message: '' }

describe('what is read of a run of vitest', () => {
  it('is how many passed, and each test that failed by the name that vitest takes', () => {
    expect(
      written([
        { ...file, assertionResults: [green, red, { ...red, ancestorTitles: [], title: 'alone' }] },
        { ...file, status: 'passed', assertionResults: [green] },
      ]),
    ).toEqual({
      passed: 7,
      reds: [
        {
          file: 'packages/a.test.ts',
          name: 'a wallet > costs $1 (each)',
          message: 'Error: one\nError: two',
        },
        { file: 'packages/a.test.ts', name: 'alone', message: 'Error: one\nError: two' },
      ],
    })
  })

  it.each([
    ['could not be loaded', 'Cannot find module', []],
    ['has a hook that failed before its tests', 'no database', [{ ...green, status: 'skipped' }]],
    [
      'has a hook that failed in a group, of which vitest tells nothing',
      '',
      [{ ...green, status: 'skipped' }],
    ],
  ])('is the file itself where that %s', (_, message, assertionResults) => {
    expect(written([{ ...file, message, assertionResults }]).reds).toEqual([
      { file: 'packages/a.test.ts', name: undefined, message },
    ])
  })

  it('is both where a hook failed beside a test', () => {
    const { reds } = written([{ ...file, message: 'not closed', assertionResults: [red] }])
    expect(reds.map(({ name, message }) => [name, message])).toEqual([
      [undefined, 'not closed'],
      ['a wallet > costs $1 (each)', 'Error: one\nError: two'],
    ])
  })

  it('is nothing where the run wrote nothing', () => {
    expect(readResults('/checkout/nothing.json', CHECKOUT)).toEqual({ passed: 0, reds: [] })
  })
})
