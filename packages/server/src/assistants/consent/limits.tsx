import {
  counted,
  formatAmount,
  isRecipientRule,
  isUnasked,
  type Micros,
  parseAmount,
  RECIPIENT_RULE,
  splitRecipientRules,
  type Unasked,
} from '@wigwag/contract'
import { money } from '../../kernel/money/shown.ts'
import type { SharedLimit } from '../../messages/sending/index.ts'
import { field } from '../../net/pages/forms.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import type { ConnectionLimits } from '../connections.ts'

/** The limits as a person types them. */
export interface LimitValues {
  dailySpend: string
  dailyMessages: string
  recipients: string
  unasked: string
}

/** Errors by field. */
export type LimitErrors = Partial<Record<keyof LimitValues, string>>

/** Their field names in a form. */
const LIMIT_NAMES = {
  dailySpend: 'daily_spend',
  dailyMessages: 'daily_messages',
  recipients: 'recipients',
  unasked: 'unasked',
} as const satisfies Record<keyof LimitValues, string>

const MOST_RULES = 500

/** The limits as typed into a form, to show them again. */
export function limitValues(form: URLSearchParams): LimitValues {
  const typed = (field: keyof LimitValues) => form.get(LIMIT_NAMES[field]) ?? ''
  return {
    dailySpend: typed('dailySpend'),
    dailyMessages: typed('dailyMessages'),
    recipients: typed('recipients'),
    unasked: typed('unasked'),
  }
}

/** The current limits, as a person would type them. */
export function writtenLimits({
  dailySpend,
  dailyMessages,
  recipients,
  unasked,
}: ConnectionLimits): LimitValues {
  return {
    dailySpend: formatAmount(dailySpend),
    dailyMessages: String(dailyMessages),
    recipients: recipients?.join('\n') ?? '',
    unasked,
  }
}

/** Shows the limits that assistants share, and how much of each is used today. */
export function sharedLimits(limits: readonly SharedLimit[], currency: string): Markup {
  return (
    <>
      {limits.map(({ whose, dailySpend, dailyMessages, used }) => {
        const may = [
          ...(dailySpend === undefined ? [] : [`spend ${money(dailySpend, currency)}`]),
          ...(dailyMessages === undefined ? [] : [`send ${counted(dailyMessages, 'message')}`]),
        ]
        return (
          <p>
            {whose} may {may.join(' and ')} a day. Used today: {money(used.spent, currency)},{' '}
            {counted(used.messages, 'message')}.
          </p>
        )
      })}
    </>
  )
}

/**
 * Reads the limits from a form, or says what is wrong by field. Spend and messages are required, so that an empty field
 * never means unlimited. Recipients may be empty, which allows everyone.
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
  const unasked = read('unasked', readUnasked)
  if (
    dailySpend === undefined ||
    dailyMessages === undefined ||
    recipients === undefined ||
    unasked === undefined
  ) {
    return { errors }
  }
  return {
    limits: {
      dailySpend,
      dailyMessages,
      recipients: recipients.length > 0 ? recipients : undefined,
      unasked,
    },
  }
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

function readRecipients(typed: string): Reading<string[]> {
  const rules = splitRecipientRules(typed)
  const wrong = rules.find((rule) => !isRecipientRule(rule))
  if (wrong !== undefined) return { expected: RECIPIENT_RULE, got: wrong }
  if (rules.length <= MOST_RULES) return { value: rules }
  return { expected: `at most ${MOST_RULES} numbers and beginnings`, got: String(rules.length) }
}

function readUnasked(typed: string): Reading<Unasked> {
  return isUnasked(typed) ? { value: typed } : { expected: 'send or refuse', got: typed }
}

function quoted(typed: string): string {
  if (typed === '') return 'nothing'
  return `“${typed.length > 40 ? `${typed.slice(0, 40)}…` : typed}”`
}

export interface LimitsFields {
  /** Prefix of the fields' ids: a page may have several forms. */
  id: string
  currency: string
  values: LimitValues
  errors: LimitErrors
}

const TO_WHOM =
  'To whom it may send: numbers with country code, or beginnings of numbers with *, such as 233241234567 or 23320*. Left empty, it may send to everybody.'

/** The form fields for the limits of a connection. */
export function limitsFields({ id, currency, values, errors }: LimitsFields): Markup {
  const spend = {
    id: `${id}-spend`,
    label: `Daily spend in ${currency}`,
    error: errors.dailySpend,
  }
  const messages = { id: `${id}-messages`, label: 'Messages a day', error: errors.dailyMessages }
  const recipients = {
    id: `${id}-recipients`,
    label: 'Recipients (optional)',
    hint: TO_WHOM,
    error: errors.recipients,
  }
  return (
    <>
      <div class="side">
        {field(spend, (ties) => (
          <span class="amount">
            <span aria-hidden="true">{currency}</span>
            <input
              class="box"
              {...ties}
              name={LIMIT_NAMES.dailySpend}
              value={values.dailySpend}
              inputmode="decimal"
              autocomplete="off"
              maxlength={40}
            />
          </span>
        ))}
        {field(messages, (ties) => (
          <input
            class="box short"
            {...ties}
            name={LIMIT_NAMES.dailyMessages}
            value={values.dailyMessages}
            inputmode="numeric"
            autocomplete="off"
            maxlength={40}
          />
        ))}
      </div>
      {field(recipients, (ties) => (
        <textarea
          class="box"
          {...ties}
          name={LIMIT_NAMES.recipients}
          rows={3}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        >{`\n${values.recipients}`}</textarea>
      ))}
      {unaskedFields(id, values.unasked, errors.unasked)}
    </>
  )
}

/** The choice for when the person can't be asked. Over HTTP, revisions before 2026-07-28 can't ask. */
function unaskedFields(id: string, chosen: string, error: string | undefined): Markup {
  const choice = (value: Unasked, title: string, text: string) => (
    <label class="choice">
      <input type="radio" name={LIMIT_NAMES.unasked} value={value} checked={chosen === value} />
      <span>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
    </label>
  )
  return (
    <fieldset id={`${id}-unasked`}>
      <legend>When you can’t be asked</legend>
      <p class="soft">
        Most assistants’ programs can’t ask you before they send: only those that speak revision 2026-07-28 of
        the protocol are given the question, with the message, the recipient and the price. Such a program may
        also answer it without you. For all others:
      </p>
      {error !== undefined && <p class="wrong">{error}</p>}
      {choice('refuse', 'Send nothing', 'It schedules and cancels nothing either.')}{' '}
      {choice('send', 'Send without asking', 'Within the limits above.')}
    </fieldset>
  )
}

/** The message above a form with errors: `standing` says what is in force, links lead to the fields. */
export function limitsWrong(id: string, errors: LimitErrors, standing: string): Markup | undefined {
  const places = [
    [errors.dailySpend, `${id}-spend`, 'Daily spend'],
    [errors.dailyMessages, `${id}-messages`, 'Messages a day'],
    [errors.recipients, `${id}-recipients`, 'Recipients'],
    [errors.unasked, `${id}-unasked`, 'When you can’t be asked'],
  ] as const
  const wrong = places.filter(([error]) => error !== undefined)
  if (wrong.length === 0) return undefined
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{standing}</strong> Please look at{' '}
        {wrong.map(([, place, label], index) => (
          <>
            {index > 0 && ', '}
            <a href={`#${place}`}>{label}</a>
          </>
        ))}
        .
      </p>
    </div>
  )
}
