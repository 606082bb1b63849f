import { mismatchOf } from '@wigwag/contract'
import type * as z from 'zod'

/** The parts of the sentence that tells a model why a call failed, and what to do. */
export interface Refusal {
  /** The effect of the call on messages: `Nothing was sent`. Absent for a call that only reads. */
  outcome?: string | undefined
  /** The cause, without a capital and a full stop. */
  why: string
  /** The next step for the model or its person, without a capital and a full stop. */
  todo: string
  /** The arguments at fault, a line for each. */
  lines?: readonly string[]
}

export function sentenceOf({ outcome, why, todo, lines = [] }: Refusal): string {
  const cause = outcome === undefined ? why.charAt(0).toUpperCase() + why.slice(1) : `${outcome}: ${why}`
  const end = lines.length === 0 ? '.' : [':', ...lines.map((line) => `- ${line}`)].join('\n')
  return `${cause}; ${todo}${end}`
}

/** Arguments that do not fit a tool, whether the connector refused them or the gateway. */
export function misfit(tool: string, outcome: string | undefined, lines: readonly string[]): Refusal {
  return { outcome, why: `the arguments do not fit ${tool}`, todo: 'correct these and call again', lines }
}

/** An argument that does not fit, what was expected and what came. */
export function lineOf(issue: z.core.$ZodIssue, raw: unknown): string {
  const { expected, got = 'nothing' } = mismatchOf(issue, raw)
  return `${issue.path.join('.') || 'arguments'}: expected ${expected}; got ${got}`
}

/** A call of a tool that the connection is not allowed. */
export function mayOnlyRead(tool: string, isSignedIn: boolean): Refusal {
  const todo = isSignedIn
    ? `ask the person to connect again and allow ${tool}`
    : `ask the person who set it up to allow ${tool}, with a limit on spend (WIGWAG_MCP_DAILY_SPEND)`
  return { outcome: 'Nothing was done', why: 'this connection may only read', todo }
}

/** A call that was refused before the gateway got it. */
export class ToolError extends Error {
  override name = 'ToolError'

  constructor(refusal: Refusal) {
    super(sentenceOf(refusal))
  }
}
