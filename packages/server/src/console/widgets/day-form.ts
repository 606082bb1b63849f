import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { DayErrors, TypedDays } from './days.ts'

/** A field of the form beside its days. */
export interface ExtraField {
  name: string
  label: string
  value: string
  error: string | undefined
}

export interface DayForm {
  action: string
  typed: TypedDays
  errors: DayErrors
  open: boolean
  title: string
  extra?: ExtraField
}

/** A form for two days, which opens beside the chips. */
export function dayForm({ action, typed, errors, open, title, extra }: DayForm): Markup {
  return markup`<details class="days"${open && markup` open`}><summary>${title}</summary><form class="together" action="${action}">
${dayField('from', 'From', typed.from, errors.from)}${dayField('to', 'To', typed.to, errors.to)}${extra && textField(extra)}<button class="second">Show</button></form></details>`
}

/** What is wrong, on top of the page, each with the way to its field. */
export function wrongNote(
  title: string,
  errors: Readonly<Record<string, string | undefined>>,
): Markup | false {
  const wrong = Object.entries(errors).flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]))
  return (
    wrong.length > 0 &&
    markup`<div class="note bad" role="alert"><p class="strong">${title}</p><ul>${wrong.map(({ name, text }) => markup`<li id="wrong-${name}"><a href="#${name}">${text}</a></li>`)}</ul></div>`
  )
}

/** A field of days would drop what is not a day, so what was typed wrongly is kept as text. */
function dayField(name: string, label: string, value: string, error: string | undefined): Markup {
  const type = error === undefined ? 'date' : 'text'
  return markup`<div><label for="${name}">${label}</label><input class="box short" type="${type}" id="${name}" name="${name}" value="${value}"${invalid(name, error)}></div>`
}

function textField({ name, label, value, error }: ExtraField): Markup {
  return markup`<div class="filling"><label for="${name}">${label}</label><input class="box mono" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${invalid(name, error)}></div>`
}

/** The message itself is in the note on top. */
function invalid(name: string, error: string | undefined): Markup | false {
  return error !== undefined && markup` aria-invalid="true" aria-describedby="wrong-${name}"`
}
