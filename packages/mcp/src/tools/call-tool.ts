import { toolCatalogue } from './catalogue.ts'
import { explain } from './explain.ts'
import { plainText } from './plain-text.ts'
import type { Arguments, Identity, Tool, ToolName } from './tool.ts'

/** What a call leads to, in no protocol's words. */
export type Outcome =
  | { kind: 'answer'; structured: Record<string, unknown>; text: string }
  /** An error that the model can correct, or pass on to its person. */
  | { kind: 'failure'; text: string }
  | { kind: 'unknown tool'; text: string }

/** Receives a fault of ours, which the caller can't fix. */
export type OnFault = (error: unknown, tool: ToolName) => void

const tools = new Map<string, Tool>(toolCatalogue.map((tool) => [tool.name, tool]))

export async function callTool(
  identity: Identity,
  name: string,
  input: Arguments,
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
    const { structured, text } = await tool.call(input, identity)
    return { kind: 'answer', structured, text: `${text}\n\n${plainText(structured)}` }
  } catch (error) {
    const explained = await explain(error, tool.name, identity)
    if (explained === undefined) onFault(error, tool.name)
    const text = explained ?? 'Something went wrong in the connector. A person can find the cause in its log.'
    return { kind: 'failure', text }
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
