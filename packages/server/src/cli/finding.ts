import { styleText } from 'node:util'
import type { Finding } from '../domain/finding.ts'

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const

/** A finding as a line. `width` is that of the longest name of a check. */
export function findingLine({ check, state, detail }: Finding, width: number): string {
  return `${styleText(COLOURS[state], state.padEnd(4))}  ${check.padEnd(width)}  ${detail}`
}
