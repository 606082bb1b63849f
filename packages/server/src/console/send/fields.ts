import { plainNumber } from '../../domain/phone/phone.ts'
import type { FormMessage } from '../../sending/index.ts'

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

/** What was typed; empty where nothing was. */
export type Typed = Record<FieldName, string>

export const NOTHING: Typed = { From: '', To: '', Content: '', Reference: '', CallbackUrl: '', SendAt: '' }

/** The fields of a posted form. The number is tidied, so that it is shown as it will be sent. */
export function typedIn(form: URLSearchParams): Typed {
  const textOf = (name: string) => form.get(name)?.trim() ?? ''
  return {
    From: textOf('From'),
    To: plainNumber(form.get('To') ?? ''),
    Content: linesOf(form.get('Content') ?? ''),
    Reference: textOf('Reference'),
    CallbackUrl: textOf('CallbackUrl'),
    SendAt: textOf('SendAt'),
  }
}

/** Forms post the end of a line as two characters. The text that people saw, and were told the price of, has one. */
export function linesOf(posted: string): string {
  return posted.replace(/\r\n?/g, '\n')
}

/** The message in the API's fields. Optional ones that were left empty are left out. */
export function messageOf({ From, To, Content, Reference, CallbackUrl, SendAt }: Typed): FormMessage {
  return {
    From,
    To,
    Content,
    ...(Reference === '' ? {} : { Reference }),
    ...(CallbackUrl === '' ? {} : { CallbackUrl }),
    ...(SendAt === '' ? {} : { SendAt: inUtc(SendAt) }),
  }
}

/** What a field for a date and a time gives, `2026-11-22T09:00`, as a time in UTC. */
function inUtc(local: string): string {
  if (/^[\d-]+T\d\d:\d\d$/.test(local)) return `${local}:00Z`
  return /^[\d-]+T\d\d:\d\d:\d\d(\.\d+)?$/.test(local) ? `${local}Z` : local
}

/** The key of a posted form; undefined unless it is like one of ours. */
export function keyIn(form: URLSearchParams): string | undefined {
  const key = form.get('key') ?? ''
  return /^[\w-]{1,64}$/.test(key) ? key : undefined
}
