import { recipientDigits } from './text/recipient.ts'

/**
 * A recipient rule: a whole number with its country code, or the beginning of one and `*`. No number has fewer than 7
 * digits, so a shorter rule without `*` could never match and is a mistake.
 */
const RULE = /^(?:[1-9][0-9]{6,14}|[1-9][0-9]{0,14}\*)$/

/** The form of a rule, for error texts. */
export const RECIPIENT_RULE = 'numbers of 7 to 15 digits with country code, or beginnings of numbers with *'

export function isRecipientRule(text: string): boolean {
  return RULE.test(text)
}

/** Reads stored rules, which are separated by spaces. An empty text has none. */
export function parseRules(text: string): string[] {
  return text.split(' ').filter((rule) => rule !== '')
}

/**
 * Splits what a person typed at spaces, commas and line breaks, without duplicates. A leading `+` and hyphens between
 * digits are left out, as of a number. The items are not yet checked.
 */
export function splitRecipientRules(text: string): string[] {
  const rules = text.split(/[\s,]+/).filter((rule) => rule !== '')
  return [
    ...new Set(rules.map((rule) => rule.replace(/^\+(?=[0-9])|(?<=[0-9])[-\u2010\u2011](?=[0-9])/g, ''))),
  ]
}

/** Reads the rules of a setting, at least one. Throws an Error that says what was expected. */
export function readRecipientRules(text: string): string[] {
  const rules = splitRecipientRules(text)
  const wrong = rules.length === 0 ? text : rules.find((rule) => !isRecipientRule(rule))
  if (wrong === undefined) return rules
  throw new Error(`expected ${RECIPIENT_RULE}, got ${JSON.stringify(wrong)}`)
}

/**
 * Whether any rule allows a number; without rules, none is allowed. Looks up each prefix instead of trying each rule,
 * because a bulk has thousands of numbers.
 */
export function isAllowed(to: string, rules: ReadonlySet<string>): boolean {
  const digits = recipientDigits(to)
  if (rules.has(digits)) return true
  for (let length = digits.length; length > 0; length--)
    if (rules.has(`${digits.slice(0, length)}*`)) return true
  return false
}
