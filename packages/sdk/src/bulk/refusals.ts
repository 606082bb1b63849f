import { GatewayError } from '../errors.ts'
import type { FieldError } from '../generated/models.ts'
import type { Entry } from './parts.ts'

/**
 * The recipients that an answer refuses by themselves: by their number, or by a text that is only theirs. Empty if it
 * says anything else, which concerns all.
 */
export function refusalsOf<Row>(error: unknown, asked: Entry<Row>[]): Map<Entry<Row>, FieldError> {
  const refused = new Map<Entry<Row>, FieldError>()
  for (const field of error instanceof GatewayError ? error.errors : []) {
    const [, list, at] = field.pointer.split('/')
    const named = list === 'Recipients' ? asked[Number(at || Number.NaN)] : undefined
    const those = list === 'Content' ? asked.filter(({ text }) => text !== undefined) : named ? [named] : []
    if (!those.length) return new Map()
    for (const entry of those) refused.set(entry, field)
  }
  return refused
}
