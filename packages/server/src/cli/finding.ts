import { styleText } from 'node:util'

/** The result of one check. */
export interface Finding extends Verdict {
  check: string
}

export interface Verdict {
  /** `skip`: it was not tried. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  detail: string
}

export const ok = (detail: string): Verdict => ({ state: 'ok', detail })
export const warn = (detail: string): Verdict => ({ state: 'warn', detail })
export const fail = (detail: string): Verdict => ({ state: 'fail', detail })
export const skip = (detail: string): Verdict => ({ state: 'skip', detail })

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const

/** A finding as a line. `width` is that of the longest name of a check. */
export function findingLine({ check, state, detail }: Finding, width: number): string {
  return `${styleText(COLOURS[state], state.padEnd(4))}  ${check.padEnd(width)}  ${detail}`
}
