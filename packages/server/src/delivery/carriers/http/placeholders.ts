/** Placeholders that stand for numbers. */
const NUMBERS = ['validitySeconds', 'validityMinutes', 'validityMs'] as const

const TEXTS = [
  'url',
  'user',
  'secret',
  'basic',
  'sender',
  '+sender',
  'recipient',
  '+recipient',
  'content',
  'ticket',
  'encoding',
  'receiptsUrl',
] as const

export type Placeholder = (typeof TEXTS)[number] | (typeof NUMBERS)[number]
export const PLACEHOLDERS: readonly Placeholder[] = [...TEXTS, ...NUMBERS]

/** A text with placeholders, taken apart. */
export type FilledText = readonly (string | { readonly placeholder: Placeholder })[]

export type Values = Readonly<Record<Placeholder, string>>

/** Takes a text such as `Basic {basic}` apart; returns the name of the first placeholder that does not exist. */
export function readText(text: string): { text: FilledText } | { unknown: string } {
  const parts: (string | { placeholder: Placeholder })[] = []
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part === '') continue
    if (!/^\{[^{}]*\}$/.test(part)) {
      parts.push(part)
      continue
    }
    const placeholder = PLACEHOLDERS.find((known) => `{${known}}` === part)
    if (placeholder === undefined) return { unknown: part.slice(1, -1) }
    parts.push({ placeholder })
  }
  return { text: parts }
}

export function uses(text: FilledText, ...names: Placeholder[]): boolean {
  return text.some((part) => typeof part !== 'string' && names.includes(part.placeholder))
}

/** Fills a text in. `escaped` is applied to the values alone. */
export function fill(text: FilledText, values: Values, escaped: (value: string) => string): string {
  return text.map((part) => (typeof part === 'string' ? part : escaped(values[part.placeholder]))).join('')
}

/** The number that a text is, when it is nothing but the placeholder of one. */
export function numberOf(text: FilledText, values: Values): number | undefined {
  const [only, more] = text
  if (only === undefined || more !== undefined || typeof only === 'string') return undefined
  const { placeholder } = only
  return NUMBERS.some((name) => name === placeholder) ? Number(values[placeholder]) : undefined
}

export function escapeForUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** A header holds printable ASCII; the rest is percent-encoded, so that no value can end the header. */
export function escapeForHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}
