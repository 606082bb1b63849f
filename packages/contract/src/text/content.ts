/** Makes the text for a row; an error if the row has nothing for a field. */
export type Render = (row: object) => string | TypeError

/** A backslash with a brace, a field, or a brace that is neither. */
const token = /\\([{}])|{([^{}]+)}|[{}]/g

/**
 * Reads a `Content` with fields: `{Name}` stands for a row's `Name`, `\{` and `\}` for braces. A text
 * without fields has no `render`. Throws a TypeError for any other brace, so that a typing error is never sent as text.
 * A row is refused if the text would be longer than `longest` characters.
 */
export function readContent(
  content: string,
  longest = Number.POSITIVE_INFINITY,
): { text: string; render?: Render; fields: string[] } {
  if (typeof content !== 'string') throw new TypeError(`Content: expected a text; got ${content}.`)
  // Texts and names of fields in turn: the text before the first field, its name, the text after it, …
  const parts = ['']
  let from = 0
  for (const match of content.matchAll(token)) {
    const [{ length }, brace = '', field] = match
    parts.push(parts.pop() + content.slice(from, match.index) + brace)
    from = match.index + length
    if (field) parts.push(field, '')
    else if (!brace) {
      const why = 'a field such as {Name}, or a brace written as \\{ or \\}'
      throw new TypeError(`Content: expected ${why}; got '${match[0]}' at index ${match.index}.`)
    }
  }
  parts.push(parts.pop() + content.slice(from))
  const fields = [...new Set(parts.filter((_, at) => at % 2))]
  if (fields.length === 0) return { text: parts.join(''), fields }
  const render = (row: object) => {
    let text = ''
    for (const [at, part] of parts.entries()) {
      const value: unknown = at % 2 ? Reflect.get(row, part) : part
      if (at % 2 && !fills(value)) {
        const got = typeof value === 'string' ? 'an empty text' : value
        return new TypeError(`${part}: expected a text or a number to fill in for {${part}}; got ${got}.`)
      }
      text += value
      if (text.length > longest)
        return new TypeError(
          `Content: expected at most ${longest} characters with its fields filled in; got more.`,
        )
    }
    return text
  }
  return { text: content, render, fields }
}

/** Blank texts do not: `Dear , hi` is sent to no one. */
function fills(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : Number.isFinite(value)
}
