import { readContent } from '@wigwag/contract/content'

/**
 * The names of the fields in a `Content`, each once, in order. Throws a TypeError for a brace that is no part of a field
 * and is not written as `\\{` or `\\}`.
 * @example
 * import { contentFields } from '@wigwag/sdk/segments'
 * const missing = contentFields('Dear {Name}, you owe {Amount}.').filter((field) => !['To', 'Name'].includes(field))
 * console.log(missing) // [ 'Amount' ]
 */
export function contentFields(content: string): string[] {
  return readContent(content).fields
}
