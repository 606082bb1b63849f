/** A mutant that no test can tell from the original, and why. */
export interface Survivor {
  file: string
  /** The line as it is, and what is put in place of a part of it. */
  line: string
  replacement: string
  why: string
}

const PAST_THE_END = 'there is no character at the end, and none takes no septet'
const MORE_THAN_NONE = 'nothing is at least as much as undefined'

export const SURVIVORS: readonly Survivor[] = [
  {
    file: 'spending-rules.ts',
    line: 'if (Messages !== undefined && Messages < 1) {',
    replacement: 'true',
    why: 'undefined is not below anything',
  },
  {
    file: 'money.ts',
    line: "const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []",
    replacement: '["Stryker was here"]',
    why: 'the first element is not looked at',
  },
  {
    file: 'segments.ts',
    line: "const nul = encoding === 'UCS-2' ? content.indexOf('\\0') : -1",
    replacement: 'true',
    why: 'GSM-7 has no NUL',
  },
  {
    file: 'segments.ts',
    line: "if (encoding === 'UCS-2' && /\\p{Surrogate}/u.test(content))",
    replacement: 'true',
    why: 'GSM-7 has no surrogates',
  },
  {
    file: 'segments.ts',
    line: 'if (septets === content.length) return Math.ceil(septets / GSM_PART)',
    replacement: 'false',
    why: 'a shortcut: as many cuts are made',
  },
  {
    file: 'segments.ts',
    line: 'for (let i = 0; i < content.length; i++) septets += SEPTETS[content.charCodeAt(i)] ?? 0',
    replacement: 'i <= content.length',
    why: PAST_THE_END,
  },
  {
    file: 'segments.ts',
    line: 'for (let i = 0; i < content.length; i++) {',
    replacement: 'i <= content.length',
    why: PAST_THE_END,
  },
  {
    file: 'spending-rules.ts',
    line: 'if (most !== undefined && cost <= most) return',
    replacement: 'true',
    why: MORE_THAN_NONE,
  },
  {
    file: 'spending-rules.ts',
    line: 'if (dailyMessages !== undefined && messages >= dailyMessages) {',
    replacement: 'true',
    why: MORE_THAN_NONE,
  },
  {
    file: 'segments.ts',
    line: "const [first = ''] = causes",
    replacement: '"Stryker was here!"',
    why: 'a text that is not GSM-7 has a character that makes it so; the compiler asks for the default',
  },
]
