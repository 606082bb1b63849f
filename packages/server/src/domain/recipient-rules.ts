/** To whom a connection may send: whole numbers, or the beginning of one and `*`. */
const RULE = /^[1-9][0-9]{0,14}\*?$/

export function isRecipientRule(text: string): boolean {
  return RULE.test(text)
}

/** Whether one of the rules allows a number. Where there are no rules, nobody is. */
export function isAllowed(to: string, rules: readonly string[]): boolean {
  return rules.some((rule) => (rule.endsWith('*') ? to.startsWith(rule.slice(0, -1)) : to === rule))
}

/** Rules that are kept between spaces, of which an empty text has none. */
export function parseRules(text: string): string[] {
  return text.split(' ').filter((rule) => rule !== '')
}
