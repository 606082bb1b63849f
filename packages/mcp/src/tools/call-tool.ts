import type { Person } from '../confirm/index.ts'
import { mayOnlyRead, sentenceOf } from '../refusal.ts'
import { toolCatalogue } from './catalogue/catalogue.ts'
import { consentTo } from './consent.ts'
import { explain, namesNothing } from './explain.ts'
import type { Outcome } from './outcome.ts'
import { plainText } from './plain-text.ts'
import type { Arguments, Identity, Tool, ToolName } from './tool.ts'

/** Receives a fault of ours, which the caller can't fix. */
export type OnFault = (error: unknown, tool: ToolName) => void

const tools = new Map<string, Tool>(toolCatalogue.map((tool) => [tool.name, tool]))

/** A call of a tool, and the person behind it. */
export interface ToolCall {
  name: string
  input: Arguments
  /** Found out only for a call that writes. */
  person: () => Person
}

export async function callTool(
  identity: Identity,
  { name, input, person }: ToolCall,
  onFault: OnFault,
): Promise<Outcome> {
  const tool = tools.get(name)
  if (!tool) {
    const expected = [...tools.keys()].join(', ')
    const text = `There is no tool ${JSON.stringify(name.slice(0, 64))}; expected one of ${expected}.`
    return { kind: 'unknown tool', text }
  }
  if (writes(tool) && !identity.canSend) {
    identity.gate.refuse(tool.name, input)
    return { kind: 'failure', text: sentenceOf(mayOnlyRead(tool.name, identity.portal !== undefined)) }
  }
  try {
    const call = tool.prepare(input, identity)
    const consent = writes(tool)
      ? await consentTo({ tool: tool.name, input, call, identity, person: person() })
      : { kind: 'go on' as const }
    if (consent.kind !== 'go on') return consent
    const { structured, text, links = [] } = await call.run(consent.yes)
    return { kind: 'answer', structured, text: `${text}\n\n${plainText(structured)}`, links }
  } catch (error) {
    const explained = explain(error, tool.name, identity)
    if (explained === undefined) onFault(error, tool.name)
    const text = explained ?? sentenceOf(writes(tool) ? { outcome: UNKNOWN, ...FAULT } : FAULT)
    return { kind: 'failure', text, namesNothing: namesNothing(error) }
  }
}

/** A fault of ours: neither the model nor its person can do more about it. */
const FAULT = { why: 'the connector failed', todo: 'ask a person to find the cause in its log' }
const UNKNOWN = 'It is not known whether anything was done'

/** The tool of that name, if it writes. */
export function writingTool(name: string): ToolName | undefined {
  const tool = tools.get(name)
  return tool && writes(tool) ? tool.name : undefined
}

function writes({ annotations }: Tool): boolean {
  return !annotations.readOnlyHint
}
