import type * as z from 'zod'
import { lineOf } from '../refusal.ts'

interface Definition<Input extends z.ZodObject> {
  name: string
  title: string
  description: string
  input: Input
  /** Whether its steps end in a send. */
  sends: boolean
  write(input: z.output<Input>): string
}

/** A prompt as a client lists it for a person to choose. */
export interface ListedPrompt extends Pick<Definition<z.ZodObject>, 'name' | 'title' | 'description'> {
  arguments: { name: string; description: string; required: boolean }[]
}

/** The values that a person gave, not validated yet. */
export type Values = Readonly<Record<string, string>>

/** A prompt as it is listed and written. */
export interface Prompt {
  listed: ListedPrompt
  sends: boolean
  write(values: Values): { isFit: boolean; text: string }
}

export function definePrompt<Input extends z.ZodObject>(definition: Definition<Input>): Prompt {
  const { name, title, description, input, sends, write } = definition
  const parameters = Object.entries<z.ZodType>(input.shape)
  return {
    sends,
    listed: {
      name,
      title,
      description,
      arguments: parameters.map(([parameter, schema]) => {
        const required = !schema.safeParse(undefined).success
        return { name: parameter, description: schema.description ?? '', required }
      }),
    },
    write(values) {
      // A form sends a field that was left empty as an empty text.
      const given = Object.entries(values).filter(([, value]) => value.trim() !== '')
      const filledIn = Object.fromEntries(given)
      const parsed = input.safeParse(filledIn)
      if (parsed.success) return { isFit: true, text: write(parsed.data) }
      const wrong = parsed.error.issues.map((issue) => lineOf(issue, filledIn))
      return { isFit: false, text: `The arguments do not fit ${name}: ${wrong.join('; ')}.` }
    },
  }
}
