/**
 * To whom a connection may send: a whole number with its country code, or the beginning of one and `*`. Nobody has a
 * number of fewer digits than 7; a rule that could never match was meant to be another one.
 */
const RULE = /^(?:[1-9][0-9]{6,14}|[1-9][0-9]{0,14}\*)$/

/** What rules look like, for whoever wrote something else. */
export const RECIPIENT_RULE = 'numbers of 7 to 15 digits with country code, or beginnings of numbers with *'

export function isRecipientRule(text: string): boolean {
  return RULE.test(text)
}

/** Rules that are kept between spaces, of which an empty text has none. */
export function parseRules(text: string): string[] {
  return text.split(' ').filter((rule) => rule !== '')
}

/** What a person or a setting says the rules are, between spaces, commas or lines. Each of them still has to be one. */
export function splitRecipientRules(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((rule) => rule !== ''))]
}

/**
 * Whether one of the rules allows a number; where there are none, nobody is allowed. However many rules there are, it
 * takes a look-up for each digit, because a bulk has thousands of numbers.
 */
export function isAllowed(to: string, rules: ReadonlySet<string>): boolean {
  if (rules.has(to)) return true
  for (let length = to.length; length > 0; length--) if (rules.has(`${to.slice(0, length)}*`)) return true
  return false
}
