import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runAgain } from '../../ci/again.ts'
import { readResults } from '../../ci/results.ts'
import { checkout, runStep } from '../../ci/step.ts'

const CONFIG = `export default { test: { include: ['*.check.js'], watch: false } }`

/** The group's name is full of what a pattern would take for something else. Each test counts its runs in a file. */
const CHECKS = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

function runsOf(name) {
  appendFileSync(name, 'x')
  return readFileSync(name, 'utf8').length
}

describe('costs $1 (each) [a|b] *', () => {
  it('is a fault', () => expect(process.env.TORTURE_SEED).toBe('another'))
  it('lies', () => expect([runsOf('lies') > 1, process.env.TORTURE_SEED]).toEqual([true, '42']))
  it('races', () => expect(runsOf('races') % 2).toBe(0))
  it('is green', () => runsOf('green'))
})
`

const BROKEN = `import './nowhere.js'`

it('what was red is run again alone, with its seed: a fault, a test that lies and a race are told apart', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  // Inside the repository, so that vitest is found from there.
  const folder = mkdtempSync(join(import.meta.dirname, '.again-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'vitest.config.js'), CONFIG)
  writeFileSync(join(folder, 'kinds.check.js'), CHECKS)
  writeFileSync(join(folder, 'broken.check.js'), BROKEN)

  const results = join(folder, 'results.json')
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
  const step = await runStep(
    'tests',
    [
      process.execPath,
      vitest,
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${results}`,
    ],
    { quiet: true, env: { TORTURE_SEED: '42' }, folder },
  )
  const { passed, reds } = readResults(results, folder)
  expect([step.passed, passed]).toEqual([false, 1])

  const group = 'kinds.check.js › costs $1 (each) [a|b] * >'
  const verdicts = await runAgain(
    reds.map((red) => ({ ...red, step })),
    '42',
    folder,
  )
  const told = verdicts.map((verdict) =>
    verdict.split(/; seed 42; \d+\.\d\d processors were busy with its step\n/),
  )
  expect(Object.fromEntries(told)).toEqual({
    '\nfailed: broken.check.js › the file itself\n  red 3 of 3 alone: a fault':
      expect.stringContaining('nowhere.js'),
    [`\nfailed: ${group} is a fault\n  red 3 of 3 alone: a fault`]: expect.stringContaining(
      "expected '42' to be 'another'",
    ),
    [`\nfailed: ${group} lies\n  red once, green alone: a test that lies, or a race`]:
      expect.stringContaining('around it:\n'),
    [`\nfailed: ${group} races\n  red 1 of 3 alone: a race`]: expect.stringContaining('around it:\n'),
  })
})
