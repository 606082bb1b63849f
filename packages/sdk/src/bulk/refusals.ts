import { GatewayError } from '../errors.ts'
import type { FieldError } from '../generated/models.ts'
import { type Entry, pointerTo } from './parts.ts'

/**
 * The recipients that an answer refuses by themselves: by their number, or by a text that is only theirs. Empty if it
 * says anything else, which concerns all. From here on, the pointers of the error count in the list of the run.
 */
export function refusalsOf<Row>(error: unknown, asked: Entry<Row>[]): Map<Entry<Row>, FieldError> {
  const refused = new Map<Entry<Row>, FieldError>()
  if (!(error instanceof GatewayError)) return refused
  let isAlone = true
  const errors = error.errors.map((field) => {
    const [, list, at, ...rest] = field.pointer.split('/')
    const named = list === 'Recipients' ? asked[Number(at || Number.NaN)] : undefined
    const those = list === 'Content' ? asked.filter(({ text }) => text !== undefined) : named ? [named] : []
    const pointed = named ? { ...field, pointer: [pointerTo(named.index), ...rest].join('/') } : field
    for (const entry of those) refused.set(entry, pointed)
    isAlone &&= those.length > 0
    return pointed
  })
  Object.assign(error, { errors })
  return isAlone ? refused : new Map()
}
