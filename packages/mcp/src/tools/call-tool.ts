import type { Person } from '../confirm/index.ts'
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
    const text = `This connection may only read, so nothing was done. Only the person who set it up can allow ${tool.name}.`
    return { kind: 'failure', text }
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
    const explained = await explain(error, tool.name, identity)
    if (explained === undefined) onFault(error, tool.name)
    const text = explained ?? 'Something went wrong in the connector. A person can find the cause in its log.'
    return { kind: 'failure', text, namesNothing: namesNothing(error) }
  }
}

/** The tool of that name, if it writes. */
export function writingTool(name: string): ToolName | undefined {
  const tool = tools.get(name)
  return tool && writes(tool) ? tool.name : undefined
}

function writes({ annotations }: Tool): boolean {
  return !annotations.readOnlyHint
}
