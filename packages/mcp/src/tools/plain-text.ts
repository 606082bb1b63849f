import { visible, visibleJson } from '@wigwag/contract'

/**
 * Writes the answer of a tool as lines of `name: value`, for hosts that show only text. Text that people wrote is
 * quoted, with invisible characters escaped, so that it can't be mistaken for a line of ours.
 */
export function plainText(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (Array.isArray(value) ? listed(name, value) : `${name}: ${written(value)}`))
    .join('\n')
}

function listed(name: string, items: readonly unknown[]): string {
  return [`${name}: ${items.length}`, ...items.map((item) => `- ${written(item)}`)].join('\n')
}

function written(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:+-]+$/.test(value) ? value : quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => `${name}: ${written(part)}`)
    .join(', ')
}

/** Text that people wrote, for a person to read: each of its lines is marked, and what is invisible is escaped. */
export function quotedLines(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => `> ${visible(line)}`)
    .join('\n')
}

/** A string as JSON, in visible characters on one line. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text))
}

/** Facts as JSON on one line. Invisible characters are escaped, which leaves the values as they are. */
export function jsonText(facts: Readonly<Record<string, unknown>>): string {
  return visibleJson(JSON.stringify(facts))
}
