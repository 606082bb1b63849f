import { describe, expect, it } from 'vitest'
import { verdictOf } from '../../ci/verdict.ts'

const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`)
lines[4] = '   × costs $1 12ms'
lines[30] = '\u001b[41m FAIL \u001b[49m |in-process| packages/a.test.ts > a wallet > costs $1'
const red = {
  file: 'packages/a.test.ts',
  name: 'a wallet > costs $1',
  message: Array.from({ length: 30 }, (_, at) => `reason ${at}`).join('\n'),
  step: { output: lines.join('\n'), wallMs: 2_000, processorMs: 3_500 },
}

describe('the verdict on a test that was red', () => {
  it.each([
    [[false, false, false], 'red 3 of 3 alone: a fault'],
    [[true, true, true], 'red once, green alone: a test that lies, or a race'],
    [[true, false, true], 'red 1 of 3 alone: a race'],
    [[false, true, false], 'red 2 of 3 alone: a race'],
    [[], 'not run again: too many were red, or took too long'],
  ])('is of %j: %s', (alone, kind) => {
    expect(verdictOf(red, alone, '42').split('\n').slice(0, 3)).toEqual([
      '',
      'failed: packages/a.test.ts › a wallet > costs $1',
      `  ${kind}; seed 42; 1.75 processors were busy with its step`,
    ])
  })

  it('comes with twenty lines of the reason, and twenty around the place where vitest tells of it', () => {
    const told = verdictOf(red, [true], '42').split('\n').slice(3)
    expect(told).toEqual([
      ...Array.from({ length: 20 }, (_, at) => `reason ${at}`),
      '  around it:',
      ...Array.from({ length: 20 }, (_, at) =>
        at === 10 ? ' FAIL  |in-process| packages/a.test.ts > a wallet > costs $1' : `line ${20 + at}`,
      ),
    ])
  })

  it('names the file where that could not be loaded', () => {
    const output = 'before\n FAIL  |in-process| packages/a.test.ts [ packages/a.test.ts ]\nafter'
    const told = verdictOf(
      { ...red, name: undefined, message: '', step: { ...red.step, output } },
      [false],
      '42',
    )
    expect(told).toContain('failed: packages/a.test.ts › the file itself')
    expect(told.endsWith(`around it:\n${output}`)).toBe(true)
  })
})
