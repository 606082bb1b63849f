/** A whole number, which nobody has with fewer digits than 7, or the beginning of one. */
const RULE = /^(?:[1-9]\d{6,14}|[1-9]\d{0,14}\*)$/

/** What a rule looks like, for whoever wrote something else. */
export const RECIPIENT_RULE = 'numbers of 7 to 15 digits with country code, or beginnings of numbers with *'

/** The rules in a text that says whom somebody may send to: between spaces, commas or lines, each of them once. */
export function splitRecipientRules(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((rule) => rule !== ''))]
}

/** A rule that could never match is none, because whoever wrote it meant something else. */
export function isRecipientRule(rule: string): boolean {
  return RULE.test(rule)
}
