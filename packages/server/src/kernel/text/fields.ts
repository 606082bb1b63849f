/** The first column of a field's name; -1 for none. */
export function columnOf(field: string, columns: readonly string[]): number {
  return columns.findIndex((name) => name.toLowerCase() === field.toLowerCase())
}

/** An error quotes at most this many fields: a text may have hundreds. */
const MOST_NAMED = 10

/**
 * Why a list can't fill in the fields of a text, worded to follow the name of the text; undefined if it can. Each field
 * needs exactly one column of its name, in upper or lower case.
 */
export function whyNotFilled(
  fields: readonly string[],
  columns: readonly string[],
  list: string,
): string | undefined {
  const found = columns.map((name) => name.toLowerCase())
  const wrong = fields.filter((field) => {
    const column = columnOf(field, columns)
    return column < 0 || column !== found.lastIndexOf(field.toLowerCase())
  })
  if (wrong.length === 0) return undefined
  const named = wrong
    .slice(0, MOST_NAMED)
    .map((field) => `{${field}}`)
    .join(', ')
  const has =
    columns.length === 0
      ? 'has no first line that names its columns'
      : `has the columns ${columns.join(', ')}`
  return `names ${named}, but ${list} ${has}; write a brace that is text as \\{ or \\}`
}
