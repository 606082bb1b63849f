import { formatAmount, type Micros, parseAmount } from '../domain/money.ts'
import { isRecipientRule, RECIPIENT_RULE, splitRecipientRules } from '../domain/recipient-rules.ts'
import type { ConnectionLimits } from '../gateway/connections.ts'

/** The limits as a person types them. */
export interface LimitValues {
  dailySpend: string
  dailyMessages: string
  recipients: string
}

/** What is wrong with them, by field. */
export type LimitErrors = Partial<Record<keyof LimitValues, string>>

/** The names under which a form sends them. */
export const LIMIT_NAMES = {
  dailySpend: 'daily_spend',
  dailyMessages: 'daily_messages',
  recipients: 'recipients',
} as const satisfies Record<keyof LimitValues, string>

const MOST_RULES = 500

/** What was typed, to be shown again. */
export function limitValues(form: URLSearchParams): LimitValues {
  const typed = (field: keyof LimitValues) => form.get(LIMIT_NAMES[field]) ?? ''
  return {
    dailySpend: typed('dailySpend'),
    dailyMessages: typed('dailyMessages'),
    recipients: typed('recipients'),
  }
}

/** Limits in force, as a person would type them. */
export function writtenLimits({ dailySpend, dailyMessages, recipients }: ConnectionLimits): LimitValues {
  return {
    dailySpend: formatAmount(dailySpend),
    dailyMessages: String(dailyMessages),
    recipients: recipients?.join('\n') ?? '',
  }
}

/**
 * Reads the limits of a form, or says what is wrong by field. A sum and a number are always wanted: no limit is
 * unlimited because a field was left empty. Only recipients may be empty, and then they are everybody.
 */
export function readLimits(form: URLSearchParams): { limits: ConnectionLimits } | { errors: LimitErrors } {
  const errors: LimitErrors = {}
  function read<T>(field: keyof LimitValues, reader: (typed: string) => Reading<T>): T | undefined {
    const reading = reader((form.get(LIMIT_NAMES[field]) ?? '').trim())
    if ('value' in reading) return reading.value
    errors[field] = `Expected ${reading.expected}, got ${quoted(reading.got)}.`
    return undefined
  }
  const dailySpend = read('dailySpend', readAmount)
  const dailyMessages = read('dailyMessages', readCount)
  const recipients = read('recipients', readRecipients)
  if (dailySpend === undefined || dailyMessages === undefined || recipients === undefined) return { errors }
  return { limits: { dailySpend, dailyMessages, recipients: recipients.length > 0 ? recipients : undefined } }
}

type Reading<T> = { value: T } | { expected: string; got: string }

function readAmount(typed: string): Reading<Micros> {
  try {
    return { value: parseAmount(typed) }
  } catch {
    return { expected: 'an amount such as 5 or 0.50', got: typed }
  }
}

function readCount(typed: string): Reading<number> {
  if (/^\d{1,9}$/.test(typed)) return { value: Number(typed) }
  return { expected: 'a whole number such as 20', got: typed }
}

/** People write numbers with a plus sign; it adds nothing to the country code behind it. */
function readRecipients(typed: string): Reading<string[]> {
  const rules = splitRecipientRules(typed.replace(/\+(?=\d)/g, ''))
  const wrong = rules.find((rule) => !isRecipientRule(rule))
  if (wrong !== undefined) return { expected: RECIPIENT_RULE, got: wrong }
  if (rules.length <= MOST_RULES) return { value: rules }
  return { expected: `at most ${MOST_RULES} numbers and beginnings`, got: String(rules.length) }
}

function quoted(typed: string): string {
  if (typed === '') return 'nothing'
  return `“${typed.length > 40 ? `${typed.slice(0, 40)}…` : typed}”`
}
