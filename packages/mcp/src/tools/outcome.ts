import type { Question } from '../confirm/index.ts'
import type { Link } from './links.ts'

/** The result of a call, independent of the protocol. */
export type Outcome =
  | { kind: 'answer'; structured: Record<string, unknown>; text: string; links?: readonly Link[] }
  /** An error that the model can correct, or pass on to its person. */
  | { kind: 'failure'; text: string; namesNothing?: boolean }
  /** The person has to decide first. Their answer comes with the same call again, and with this state. */
  | { kind: 'question'; question: Question; state: string }
  | { kind: 'unknown tool'; text: string }
  /** The state that came back is not one of ours. */
  | { kind: 'wrong state'; text: string }
