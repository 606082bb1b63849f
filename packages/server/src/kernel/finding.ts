/** The result of one check. */
export interface Finding extends Verdict {
  check: string
}

export interface Verdict {
  /** `skip`: it was not tried. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  detail: string
  /** Where something can be done about just that: what it is about, and the detail without what a page has. */
  about?: About & { what: string }
}

/** A carrier, the messages that it never answered for, or all messages that wait. */
export type About = { kind: 'carrier' | 'uncertain'; carrier: string } | { kind: 'waiting' }

export const ok = (detail: string): Verdict => ({ state: 'ok', detail })
export const warn = (detail: string): Verdict => ({ state: 'warn', detail })
export const fail = (detail: string): Verdict => ({ state: 'fail', detail })
