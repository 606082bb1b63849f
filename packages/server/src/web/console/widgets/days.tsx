import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { DAY_MS, utcDay } from '../../../kernel/time/spans.ts'
import type { Attributes, Markup } from '../../../net/pages/markup.ts'

/** A day in UTC, counted from 1970-01-01. */
export type Day = number

/** Days in UTC. Both ends belong to the range. */
export interface Days {
  first: Day
  last: Day
}

export function dayAt(at: EpochMs): Day {
  return utcDay(at)
}

/** How many days there are, both ends included. */
export function lengthOf({ first, last }: Days): number {
  return last - first + 1
}

/** When a day begins. */
export function startOf(day: Day): EpochMs {
  return epochMs(day * DAY_MS)
}

/** `2026-11-21` */
export function isoDay(day: Day): string {
  return new Date(startOf(day)).toISOString().slice(0, 10)
}

/** The days in an address or a form, as typed. */
export interface TypedDays {
  from: string
  to: string
}

/** Errors by field. */
export type DayErrors = Partial<Record<keyof TypedDays, string>>

/** The days that were asked for; an end that was left out is undefined. */
interface DaysRead {
  first: Day | undefined
  last: Day | undefined
  errors: DayErrors
}

export function readDays({ from, to }: TypedDays): DaysRead {
  const first = readDay(from)
  const last = readDay(to)
  const errors: DayErrors = {
    ...(first === 'wrong' && { from: `From: ${expected(from)}` }),
    ...(last === 'wrong' && { to: `To: ${expected(to)}` }),
  }
  if (first === 'wrong' || last === 'wrong') return { first: undefined, last: undefined, errors }
  if (first !== undefined && last !== undefined && first > last) {
    errors.from = `From: expected a day no later than ${to}, got ${from}.`
  }
  return { first, last, errors }
}

function expected(text: string): string {
  return `expected a day since 1970, such as 2026-11-21, got “${text}”.`
}

function readDay(text: string): Day | undefined | 'wrong' {
  if (text === '') return undefined
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // 30 February is read as a day of March, so the day has to come back as it was written.
  return at >= 0 && isoDay(at / DAY_MS) === text ? at / DAY_MS : 'wrong'
}

/** A field of the form beside its days. */
interface ExtraField {
  name: string
  label: string
  value: string
  error: string | undefined
}

interface DayForm {
  action: string
  typed: TypedDays
  errors: DayErrors
  open: boolean
  title: string
  extra?: ExtraField
}

/** A form for two days, which opens beside the chips. */
export function dayForm({ action, typed, errors, open, title, extra }: DayForm): Markup {
  return (
    <details class="days" open={open}>
      <summary>{title}</summary>
      <form class="together" action={action}>
        {dayField('from', 'From', typed.from, errors.from)}
        {dayField('to', 'To', typed.to, errors.to)}
        {extra && textField(extra)}
        <button class="second">Show</button>
      </form>
    </details>
  )
}

/** The errors on top of the page, each with a link to its field. */
export function wrongNote(
  title: string,
  errors: Readonly<Record<string, string | undefined>>,
): Markup | false {
  const wrong = Object.entries(errors).flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]))
  return (
    wrong.length > 0 && (
      <div class="note bad" role="alert">
        <p class="strong">{title}</p>
        <ul>
          {wrong.map(({ name, text }) => (
            <li id={`wrong-${name}`}>
              <a href={`#${name}`}>{text}</a>
            </li>
          ))}
        </ul>
      </div>
    )
  )
}

/** A field of days would drop what is not a day, so what was typed wrongly is kept as text. */
function dayField(name: string, label: string, value: string, error: string | undefined): Markup {
  const type = error === undefined ? 'date' : 'text'
  return (
    <div>
      <label for={name}>{label}</label>
      <input class="box short" type={type} id={name} name={name} value={value} {...invalid(name, error)} />
    </div>
  )
}

function textField({ name, label, value, error }: ExtraField): Markup {
  return (
    <div class="filling">
      <label for={name}>{label}</label>
      <input
        class="box mono"
        id={name}
        name={name}
        value={value}
        autocomplete="off"
        spellcheck={false}
        {...invalid(name, error)}
      />
    </div>
  )
}

/** The message itself is in the note on top. */
function invalid(name: string, error: string | undefined): Attributes | false {
  return error !== undefined && { 'aria-invalid': 'true', 'aria-describedby': `wrong-${name}` }
}
