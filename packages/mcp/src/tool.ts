import type { Client, OperationId } from '@wigwag/sdk'
import * as z from 'zod'
import type { Gate } from './gate.ts'
import type { toolInputs } from './generated/tools.ts'
import { ToolError } from './tool-error.ts'

/** The ten names that the specification gives. */
export type ToolName = keyof typeof toolInputs

/** What a client may rely on before it calls. All four are required: a hint that is left out means the worst. */
export interface Annotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export interface ToolContext {
  client: Client
  gate: Gate
}

export interface ToolAnswer<Structured = Record<string, unknown>> {
  structured: Structured
  /** One or two sentences on top of the facts. */
  text: string
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: ToolName
  title: string
  /** Its purpose in a line, when to use it, its limits and what it costs. */
  description: string
  input: Input
  output: Output
  annotations: Annotations
  /** The operations of the API that it needs. */
  operations: readonly OperationId[]
  handler(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.input<Output>>>
}

/** A JSON Schema of an object, as the protocol wants it. */
export interface ObjectSchema {
  [keyword: string]: unknown
  type: 'object'
}

/** What a call brings, before anybody has looked at it. */
export type Arguments = Readonly<Record<string, unknown>>

/** A tool as it is listed and called. What comes in is not trusted; what it can't use is a {@link ToolError}. */
export interface Tool
  extends Pick<Definition<z.ZodObject, z.ZodObject>, 'title' | 'description' | 'annotations' | 'operations'> {
  name: ToolName
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  call(input: Arguments, context: ToolContext): Promise<ToolAnswer>
}

/** Annotations of a tool that only looks. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations, operations, handler } = definition
  return {
    name,
    title,
    description,
    annotations,
    operations,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    async call(raw, context) {
      const parsed = input.safeParse(raw)
      if (parsed.success) return handler(parsed.data, context)
      if (!annotations.readOnlyHint) context.gate.refuse(name, raw)
      throw new ToolError(misfit(name, parsed.error))
    },
  }
}

/**
 * Made once, when the module is loaded: no request pays for it. A time says its format; the pattern of one is longer
 * than the rest of its tool, and every conversation pays for that.
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

function misfit(name: ToolName, { issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) => `- ${path.join('.') || 'arguments'}: ${message}`)
  return `The arguments do not fit ${name}; nothing was done. Correct these and call again:\n${lines.join('\n')}`
}
