import { type toolInputs, wireNames } from '@wigwag/contract/tools'
import type { Client, OperationId } from '@wigwag/sdk'
import * as z from 'zod'
import type { Asking, Question, Yes } from '../confirm/index.ts'
import type { Gate } from '../gate/index.ts'
import { lineOf, misfit, ToolError } from '../refusal.ts'
import type { Link } from './links.ts'

/** The ten names in the specification. */
export type ToolName = keyof typeof toolInputs

/** Hints that clients read before a call. All four are required: clients assume the worst of one that is missing. */
export interface Annotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The gateway and the limits of one connection, for its tools. */
export interface ToolContext {
  /** The gateway, with the credentials of this connection alone. */
  client: Client
  gate: Gate
}

/** Who is calling: one connection, what it can reach and what it may do. */
export interface Identity extends ToolContext {
  /** Names the connection in limits and in the audit. */
  connection: string
  /** Whether it may use the tools that write. */
  canSend: boolean
  /** How its person is asked before they write. */
  asking: Asking
  /** The page where the person who signed in can see and end the connection. Absent for a client with credentials. */
  portal?: string
  /** The address that its token was issued for. The assistant can ask for more rights there. Absent as above. */
  resource?: string
}

export interface ToolAnswer<Structured = Record<string, unknown>> {
  structured: Structured
  /** One or two sentences that sum up the facts. */
  text: string
  /** Resources in which to read on. */
  links?: readonly Link[]
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: ToolName
  title: string
  /** Its purpose in one line, when to use it, its limits and what it costs. */
  description: string
  input: Input
  output: Output
  annotations: Annotations
  /** The operations of the API that it needs. */
  operations: readonly OperationId[]
  /** The question to the person before the handler runs; undefined when there is nothing to decide. */
  question?(input: z.output<Input>, context: ToolContext): Promise<Question | undefined>
  /** `yes` is what the person said, if they were asked. */
  handler(input: z.output<Input>, context: ToolContext, yes?: Yes): Promise<ToolAnswer<z.input<Output>>>
}

/** A JSON Schema of an object, as the protocol wants it. */
export interface ObjectSchema {
  [keyword: string]: unknown
  type: 'object'
}

/** The arguments of a call, not validated yet. */
export type Arguments = Readonly<Record<string, unknown>>

/** A call whose arguments fit. */
export interface Call {
  question(): Promise<Question | undefined>
  run(yes?: Yes): Promise<ToolAnswer>
}

/** A tool as it is listed and called. */
export interface Tool
  extends Pick<Definition<z.ZodObject, z.ZodObject>, 'title' | 'description' | 'annotations' | 'operations'> {
  name: ToolName
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  /** Validates the arguments. Throws a {@link ToolError} if they do not fit. */
  prepare(input: Arguments, context: ToolContext): Call
}

/** The annotations of a tool that only reads. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations, operations, question, handler } = definition
  return {
    name,
    title,
    description,
    annotations,
    operations,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    prepare(raw, context) {
      const parsed = input.safeParse(raw)
      if (parsed.success) {
        return {
          question: async () => question?.(parsed.data, context),
          run: (yes) => handler(parsed.data, context, yes),
        }
      }
      const { readOnlyHint } = annotations
      if (!readOnlyHint) context.gate.refuse(name, raw)
      const outcome = readOnlyHint ? undefined : 'Nothing was done'
      const lines = parsed.error.issues.map((issue) => `${lineOf(issue, raw)}.`)
      throw new ToolError(misfit(name, outcome, lines))
    },
  }
}

/**
 * Built once, when the module is loaded. The pattern of a date-time is dropped in favour of its format: it is longer
 * than the rest of its tool, and every conversation would pay for it.
 */
function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return { ...rest, type: 'object' }
}

type Names<Name extends ToolName> = (typeof wireNames)[Name]

/** A tool's arguments under the API's names. */
type Wire<Name extends ToolName, Input> = {
  [Argument in keyof Input as Argument extends keyof Names<Name>
    ? Extract<Names<Name>[Argument], string>
    : never]: Exclude<Input[Argument], undefined>
}

/** Renames the arguments that the API takes, and leaves out those that only the connector uses. */
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
