/** Whether a text is an http(s) URL that `fetch` accepts, so one without a user name and password. */
export function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/**
 * A URL that is safe to show: without what precedes an `@`, which may be a password. Works on the text, because a
 * mistyped URL may hold the same password but can't be parsed.
 */
export function shownUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@')
}
