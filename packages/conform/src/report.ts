import { styleText } from 'node:util'
import { counted } from '@wigwag/contract'
import type { Outcome } from './check.ts'

const COLOURS = { passed: 'green', failed: 'red', 'not tried': 'gray' } as const
const STATE_WIDTH = 'not tried'.length

/** A check as a row of the table; below it, if it did not pass, what came or why it was not tried. */
export function rowOf({ id, level, source, expects, state, came }: Outcome, width: number): string {
  const shown = styleText(COLOURS[state], state.padEnd(STATE_WIDTH))
  const row = `${shown}  ${level.padEnd(4)}  ${id.padEnd(width)}  ${expects} (${source})`
  return state === 'passed' ? row : `${row}\n${' '.repeat(STATE_WIDTH + 8)}${came}`
}

/** How many there are of each, such as `57 must: 50 passed, 1 failed, 6 not tried`. */
export function summary(outcomes: readonly Outcome[]): string {
  const levels = (['must', 'may'] as const).map((level) => {
    const { passed, failed, notTried } = countsOf(outcomes.filter((outcome) => outcome.level === level))
    return `${passed + failed + notTried} ${level}: ${passed} passed, ${failed} failed, ${notTried} not tried`
  })
  return levels.join('\n')
}

export function countsOf(outcomes: readonly Outcome[]) {
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  return { passed: count('passed'), failed: count('failed'), notTried: count('not tried') }
}

/** How many checks failed that must not. */
export function failedMusts(outcomes: readonly Outcome[]): number {
  return countsOf(outcomes.filter(({ level }) => level === 'must')).failed
}

/** A sentence about the failed `must` checks; undefined when none failed. */
export function failureOf(outcomes: readonly Outcome[], url: string): string | undefined {
  const failed = failedMusts(outcomes)
  return failed === 0
    ? undefined
    : `${url} does not meet the specification: ${counted(failed, 'check')} failed`
}
