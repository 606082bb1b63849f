import { invalidFields } from '../../../kernel/errors.ts'
import { readWritten } from '../../../kernel/phone/national.ts'
import { isDialledAbroad, plainNumber } from '../../../kernel/phone/phone.ts'
import type { SenderStatus } from '../../../kernel/principal.ts'
import { inZoneAndUtc, readLocal, zoneNames } from '../../../kernel/time/zones.ts'
import type { FormMessage } from '../../../messages/sending/index.ts'
import type { Attributes, Markup } from '../../../net/pages/markup.ts'
import { approvedSender } from '../widgets/samples.ts'

/** The fields of a message's form, as the API names them, with what people read. */
export const LABELS = {
  From: 'From',
  To: 'To',
  Content: 'Text',
  Reference: 'Reference',
  CallbackUrl: 'Callback URL',
  SendAt: 'Send at',
} as const satisfies Record<keyof FormMessage, string>

export type FieldName = keyof typeof LABELS

/** Fields as typed; empty when left blank. */
export interface Typed extends Record<FieldName, string>, TypedTime {}

/** A time as typed, by the clocks of a zone. */
export interface TypedTime {
  SendAt: string
  Zone: string
}

export const NOTHING: Typed = {
  From: '',
  To: '',
  Content: '',
  Reference: '',
  CallbackUrl: '',
  SendAt: '',
  Zone: '',
}

/** A form's fields, with what was made of its number. */
export interface Posted extends Typed {
  /** The number as it was written, where it was read as one of the account's country. */
  written: string | undefined
  /** Why the number is none. */
  wrong: string | undefined
}

/** The fields of a posted form. The number is tidied, so that it is shown as it will be sent. */
export function typedIn(form: URLSearchParams, country = ''): Posted {
  const textOf = (name: string) => form.get(name)?.trim() ?? ''
  return {
    From: textOf('From'),
    ...numberIn(form.get('To') ?? '', country),
    Content: linesOf(form.get('Content') ?? ''),
    Reference: textOf('Reference'),
    CallbackUrl: textOf('CallbackUrl'),
    ...timeIn(form),
  }
}

function numberIn(text: string, country: string): Pick<Posted, 'To' | 'written' | 'wrong'> {
  const read = readWritten(text, country)
  if (read.as === 'wrong') return { To: text.trim(), written: undefined, wrong: read.why }
  if (read.as === 'national') return { To: read.to, written: text.trim(), wrong: undefined }
  // The sign is kept where a number without one may be read otherwise.
  const sign = country !== '' && isDialledAbroad(text) ? '+' : ''
  return { To: `${sign}${plainNumber(text)}`, written: undefined, wrong: undefined }
}

export function timeIn(form: URLSearchParams): TypedTime {
  const textOf = (name: string) => form.get(name)?.trim() ?? ''
  return { SendAt: textOf('SendAt'), Zone: textOf('Zone') }
}

/** Forms post the end of a line as two characters. The text that people saw, and were told the price of, has one. */
export function linesOf(posted: string): string {
  return posted.replace(/\r\n?/g, '\n')
}

/** The message in the API's fields. Optional ones that were left empty are left out. */
export function messageOf(typed: Typed & Partial<Posted>): FormMessage {
  if (typed.wrong !== undefined)
    throw invalidFields([{ pointer: '/To', code: 'invalid_recipient', detail: typed.wrong }])
  const { From, To, Content, Reference, CallbackUrl } = typed
  return {
    From,
    To,
    Content,
    ...(Reference === '' ? {} : { Reference }),
    ...(CallbackUrl === '' ? {} : { CallbackUrl }),
    // The API's rules say what is wrong with a text that is no time, together with the other fields.
    ...(IS_TIME.test(typed.SendAt) || typed.SendAt === '' ? sendAtOf(typed) : { SendAt: typed.SendAt }),
  }
}

const IS_TIME = /^[\d-]+[T ][\d:.]+$/

/** When to send, in UTC; nothing where it was left empty. Throws the problem of a time that there is not, or twice. */
export function sendAtOf(typed: TypedTime): { SendAt?: string } {
  const { SendAt, Zone } = typed
  if (SendAt === '') return {}
  const read = readLocal(SendAt, Zone === '' ? 'UTC' : Zone)
  if ('at' in read) return { SendAt: new Date(read.at).toISOString() }
  throw invalidFields([{ pointer: '/SendAt', code: 'invalid_send_at', detail: read.problem }])
}

/** Where people read what they scheduled, with the time by their clocks. */
export function scheduledPlace(SendAt: string, { Zone }: TypedTime): string {
  const at = String(Date.parse(SendAt))
  return `/scheduled?${new URLSearchParams({ at, zone: Zone === '' ? 'UTC' : Zone })}`
}

/** A day, a time and the zone of both. The script chooses the browser's zone. */
export function timeFields({ SendAt, Zone }: TypedTime, error: string | undefined): Markup {
  const zone = Zone === '' ? 'UTC' : Zone
  const read = SendAt === '' ? undefined : readLocal(SendAt, zone)
  return (
    <div class="two">
      {formField(
        {
          id: 'SendAt',
          label: 'Send at',
          optional: true,
          hint:
            read && 'at' in read
              ? `That is ${inZoneAndUtc(read.at, zone)}.`
              : 'Left empty, it goes at once. At most 90 days ahead.',
          error,
        },
        (ties) => (
          <input class="box" {...ties} name="SendAt" type="datetime-local" value={SendAt} />
        ),
      )}
      {formField({ id: 'Zone', label: 'Time zone' }, (ties) => (
        <select class="box" {...ties} name="Zone" data-chosen={Zone === '' ? undefined : ''}>
          {zoneNames().map((name) => (
            <option selected={name === zone}>{name}</option>
          ))}
          {Zone !== '' && !zoneNames().includes(Zone) && <option selected>{Zone}</option>}
        </select>
      ))}
    </div>
  )
}

/** The key of a posted form; undefined unless it is like one of ours. */
export function keyIn(form: URLSearchParams): string | undefined {
  const key = form.get('key') ?? ''
  return /^[\w-]{1,64}$/.test(key) ? key : undefined
}

interface FormField {
  /** Unique on its page. */
  id: string
  label: string
  optional?: boolean
  hint?: string | Markup | undefined
  error?: string | undefined
  /** Ids of what also describes the field. */
  described?: string
}

/** A field with its label, what is wrong with it, and a hint below. */
export function formField(
  { id, label, optional, hint, error, described }: FormField,
  control: (ties: Attributes) => Markup,
): Markup {
  const by = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`, described]
    .filter((part) => part)
    .join(' ')
  const ties = {
    id: id,
    'aria-describedby': by !== '' ? by : undefined,
    'aria-invalid': error !== undefined ? 'true' : undefined,
  }
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && (
          <>
            {' '}
            <span class="soft">(optional)</span>
          </>
        )}
      </label>
      {error !== undefined && (
        <span class="wrong" id={`${id}-error`}>
          {error}
        </span>
      )}{' '}
      {control(ties)}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

/** A field of several lines. The line break at its beginning is not part of the text: browsers drop one there. */
export function textArea(ties: Attributes, text: string): Markup {
  return <textarea {...ties}>{`\n${text}`}</textarea>
}

const WHY_NOT = { pending: 'waits for approval', rejected: 'was not approved' } as const

interface SenderField {
  senders: ReadonlyMap<string, SenderStatus>
  chosen: string
  error: string | undefined
}

/** The choice among the account's sender IDs. A disabled one says why. */
export function senderField({ senders, chosen, error }: SenderField): Markup {
  const options = [...senders].map(([name, status]) =>
    status === 'approved' ? (
      <option selected={name === chosen}>{name}</option>
    ) : (
      <option disabled value={name}>
        {name} ({WHY_NOT[status]})
      </option>
    ),
  )
  return formField({ id: 'From', label: 'From', error }, (ties) => (
    <select class="box" {...ties} name="From">
      {options}
    </select>
  ))
}

/** The sender that a form begins with: the one asked for, else the first that is approved; undefined without any. */
export function firstSender(senders: ReadonlyMap<string, SenderStatus>, wanted: string): string | undefined {
  if (senders.get(wanted) === 'approved') return wanted
  return approvedSender({ senders })
}

/** In place of the form, while no sender ID can be used. */
export function noSender(senders: ReadonlyMap<string, SenderStatus>): Markup {
  const waits = [...senders.values()].includes('pending')
  return (
    <section class="sheet">
      <h2>{waits ? 'Your sender ID waits for approval' : 'There is no sender ID yet'}</h2>
      <p>A message needs an approved sender ID: the name or number that phones show it under.</p>
      <p>
        <a class="button" href="/sender-ids">
          {waits ? 'See your sender IDs' : 'Ask for a sender ID'}
        </a>
      </p>
    </section>
  )
}
