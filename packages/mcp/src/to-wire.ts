import { wireNames } from './generated/tools.ts'
import type { ToolName } from './tool.ts'

type Names<Name extends ToolName> = (typeof wireNames)[Name]

/** A tool's arguments under the names that the API has for them. */
type Wire<Name extends ToolName, Input> = {
  [Argument in keyof Input as Argument extends keyof Names<Name>
    ? Extract<Names<Name>[Argument], string>
    : never]: Exclude<Input[Argument], undefined>
}

/** Renames what the API takes, and leaves out what is the connector's own. */
export function toWire<Name extends ToolName, Input extends object>(
  tool: Name,
  input: Input,
): Wire<Name, Input> {
  const names = new Map<string, string>(Object.entries(wireNames[tool]))
  const named = Object.entries(input).flatMap(([argument, value]) => {
    const name = names.get(argument)
    return name === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(named) as Wire<Name, Input>
}
