import { field } from './field.ts'
import { LIMIT_NAMES, type LimitErrors, type LimitValues } from './limits-form.ts'
import { type Markup, markup } from './markup.ts'
import type { SendingErrors } from './password-field.ts'

export interface LimitsFields {
  /** Begins the ids of the fields: a page may have several forms. */
  id: string
  currency: string
  values: LimitValues
  errors: LimitErrors
}

const TO_WHOM =
  'To whom it may send: numbers with country code, or beginnings of numbers with *, such as 233241234567 or 23320*. Left empty, it may send to everybody.'

/** The fields that a person sets the limits of a connection in. */
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
  return markup`<div class="side">
${field(
  spend,
  (ties) =>
    markup`<span class="amount"><span aria-hidden="true">${currency}</span><input class="box" ${ties} name="${LIMIT_NAMES.dailySpend}" value="${values.dailySpend}" inputmode="decimal" autocomplete="off" maxlength="40"></span>`,
)}
${field(
  messages,
  (ties) =>
    markup`<input class="box short" ${ties} name="${LIMIT_NAMES.dailyMessages}" value="${values.dailyMessages}" inputmode="numeric" autocomplete="off" maxlength="40">`,
)}
</div>
${field(
  recipients,
  (ties) =>
    markup`<textarea class="box" ${ties} name="${LIMIT_NAMES.recipients}" rows="3" autocomplete="off" autocapitalize="none" spellcheck="false">
${values.recipients}</textarea>`,
)}`
}

/** Says above a form how things stand, since something in it is wrong, and leads there. */
export function limitsWrong(id: string, errors: SendingErrors, standing: string): Markup | undefined {
  const places = [
    [errors.dailySpend, `${id}-spend`, 'Daily spend'],
    [errors.dailyMessages, `${id}-messages`, 'Messages a day'],
    [errors.recipients, `${id}-recipients`, 'Recipients'],
    [errors.password, `${id}-password`, 'Your password'],
  ] as const
  const wrong = places.filter(([error]) => error !== undefined)
  if (wrong.length === 0) return undefined
  return markup`<div class="note bad" role="alert"><p><strong>${standing}</strong> Please look at ${wrong.map(
    ([, place, label], index) => markup`${index > 0 && ', '}<a href="#${place}">${label}</a>`,
  )}.</p></div>`
}
