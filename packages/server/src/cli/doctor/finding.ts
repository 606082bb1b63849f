/** The result of one check. */
export interface Finding extends Verdict {
  check: string
}

export interface Verdict {
  state: 'ok' | 'warn' | 'fail'
  detail: string
}

export const ok = (detail: string): Verdict => ({ state: 'ok', detail })
export const warn = (detail: string): Verdict => ({ state: 'warn', detail })
export const fail = (detail: string): Verdict => ({ state: 'fail', detail })
