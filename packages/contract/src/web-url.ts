/** Whether a text is an http(s) URL that can be called. Runtimes refuse one with a user name or a password in it. */
export function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/**
 * A URL as people may see it: without what stands before an `@`, since that may be a password. It goes by the text, as a
 * mistyped URL holds the same password and can't be parsed.
 */
export function shownUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@')
}
