/** The result of one check of a connector. */
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
