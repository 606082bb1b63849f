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
    file: 'money.ts',
    line: "const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []",
    replacement: '["Stryker was here"]',
    why: 'the first element is not looked at',
  },
  {
    file: 'plan.ts',
    line: 'if (left > 0) underWay.set(host, left)',
    replacement: 'left >= 0',
    why: 'a receiver with none under way counts as one that is not in the map; it only keeps memory',
  },
  {
    file: 'segments.ts',
    line: "if (result.encoding === 'UCS-2') checkCharacters(content)",
    replacement: 'true',
    why: 'GSM-7 has neither NUL nor surrogates',
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
    file: 'spending-rules.ts',
    line: 'if (key === undefined) return undefined',
    replacement: 'false',
    why: 'no send has the key undefined',
  },
  {
    file: 'text-count.ts',
    line: "const [first = ''] = causes",
    replacement: '"Stryker was here!"',
    why: 'a text that is not GSM-7 has a character that makes it so; the compiler asks for the default',
  },
]
