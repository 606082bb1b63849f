/** Names of columns that an error quotes. A text may have hundreds. */
const MOST_NAMED = 10

/**
 * Why a text can't be filled in from the columns of a list, as what follows the text's name; undefined if it can. Names
 * of columns are not case-sensitive.
 */
export function whyNotFilled(
  fields: readonly string[],
  columns: readonly string[],
  list: string,
): string | undefined {
  const found = columns.map((name) => name.toLowerCase())
  const wrong = fields.filter((field) => {
    const place = placeOf(field, columns)
    return place < 0 || place !== found.lastIndexOf(field.toLowerCase())
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

/** Which column a field stands for; -1 for none. */
export function placeOf(field: string, columns: readonly string[]): number {
  return columns.findIndex((name) => name.toLowerCase() === field.toLowerCase())
}
