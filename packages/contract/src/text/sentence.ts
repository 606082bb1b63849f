/** A text that ends with exactly one full stop, however the text that was joined in ends. */
export function asSentence(text: string): string {
  return `${text.replace(/[\s.]+$/, '')}.`
}
