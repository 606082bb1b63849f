import type { Session } from './session.ts'

/** One sentence of the specification (`must`), or one of our own choices (`may`), that can be tried. */
export interface Check {
  id: string
  level: 'must' | 'may'
  /** The section of the specification that says it, or the page of docs/decisions that says why we chose it. */
  source: string
  /** What is expected, as a sentence. */
  expects: string
  /** Throws a `Wrong` that says what came instead, or a `NotTried` that says why. */
  run(session: Session): Promise<void>
}

export interface Outcome extends Omit<Check, 'run'> {
  state: 'passed' | 'failed' | 'not tried'
  /** What came instead, or why it was not tried. Empty when it passed. */
  came: string
}

type Rest = Pick<Check, 'id' | 'source' | 'expects' | 'run'>

/** What the specification says, with its section. */
export function must(id: string, section: string, expects: string, run: Rest['run']): Check {
  return { id, level: 'must', source: `§ ${section}`, expects, run }
}

/** What the specification leaves open and a gateway of ours does, with the page that says why, or with what the section shows. */
export function may(id: string, source: string, expects: string, run: Rest['run']): Check {
  return { id, level: 'may', source, expects, run }
}
