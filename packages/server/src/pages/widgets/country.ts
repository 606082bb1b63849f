const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** A country's name, or the code when it is none. Numbers that belong to no country have 001 in its place. */
export function countryName(code: string): string {
  if (code === '001') return 'International'
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code
}
