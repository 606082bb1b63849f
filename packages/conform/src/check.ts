import type { Session } from './session.ts'

/** One sentence of the specification (`must`), or one of our own choices (`may`), that can be tried. */
export interface Check {
  id: string
  level: 'must' | 'may'
  /** The section of the specification that says it, or the page of docs/decisions that says why we chose it. */
  source: string
  /** The expectation, as a sentence. */
  expects: string
  /** Throws a `Wrong` that says what came instead, or a `NotTried` that says why. */
  run(session: Session): Promise<void>
}

export interface Outcome extends Omit<Check, 'run'> {
  state: 'passed' | 'failed' | 'not tried'
  /** The finding that failed the check, or the reason why it was not tried. Empty when it passed. */
  came: string
}

type Rest = Pick<Check, 'id' | 'source' | 'expects' | 'run'>

/** A check of what the specification demands in this section. */
export function must(id: string, section: string, expects: string, run: Rest['run']): Check {
  return { id, level: 'must', source: `§ ${section}`, expects, run }
}

/**
 * A check of something our gateway does and the specification leaves open. `source` is our reason, or a
 * section's example.
 */
export function may(id: string, source: string, expects: string, run: Rest['run']): Check {
  return { id, level: 'may', source, expects, run }
}
