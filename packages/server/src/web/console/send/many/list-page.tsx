import { readContent } from '@wigwag/contract'
import type { SenderStatus } from '../../../../kernel/principal.ts'
import type { FormTicket } from '../../../../net/pages/forms.tsx'
import { ticketField } from '../../../../net/pages/layout.tsx'
import type { Markup } from '../../../../net/pages/markup.ts'
import {
  formField,
  LABELS,
  linesOf,
  sendAtOf,
  senderField,
  type TypedTime,
  textArea,
  timeFields,
  timeIn,
} from '../fields.tsx'
import { textField } from '../page.tsx'
import { type Refusal, refusalNote } from '../refusal.tsx'
import type { Shared } from './check.ts'

interface ListView {
  form: FormTicket
  key: string
  typed: ManyTyped
  senders: ReadonlyMap<string, SenderStatus>
  refusal: Refusal | undefined
  errors: ListErrors
}

const FORM_LABELS = {
  From: LABELS.From,
  Content: LABELS.Content,
  CallbackUrl: LABELS.CallbackUrl,
  SendAt: LABELS.SendAt,
}

const FIELDS_HINT =
  'Where the list names its columns, {Name} stands for what each line has in the column Name. A brace that is text is written as \\{ or \\}.'

/** The form for a list and its text. Posting it sends nothing. */
export function listForm({ form, key, typed, senders, refusal, errors }: ListView): Markup {
  const wrong = refusal?.fields ?? {}
  return (
    <>
      {refusal && refusalNote(refusal, FORM_LABELS)}
      {listNote(errors)}
      <form class="sheet" method="post" action="/send/many" enctype="multipart/form-data">
        {ticketField(form)}
        <input type="hidden" name="key" value={key} />
        {formField(
          {
            id: 'list',
            label: 'Recipients',
            hint: 'One a line: a number, then a comma and your reference if you have one. Or the lines of a CSV file, the first with the names of its columns. At most 2 MB.',
            error: errors.list,
          },
          (ties) =>
            textArea(
              { class: 'box mono', ...ties, name: 'list', rows: 6, placeholder: '233241234567,customer-1' },
              typed.list,
            ),
        )}
        {formField({ id: 'file', label: 'Or a CSV file', error: errors.file }, (ties) => (
          <input class="box" type="file" {...ties} name="file" accept=".csv,.txt,text/csv,text/plain" />
        ))}
        <div class="two">
          {senderField({ senders, chosen: typed.From, error: wrong.From })}
          {formField(
            { id: 'CallbackUrl', label: LABELS.CallbackUrl, optional: true, error: wrong.CallbackUrl },
            (ties) => (
              <input
                class="box mono"
                {...ties}
                name="CallbackUrl"
                value={typed.CallbackUrl}
                inputmode="url"
                autocomplete="off"
              />
            ),
          )}
        </div>
        {textField(typed.Content, wrong.Content, FIELDS_HINT)}
        {timeFields(typed, wrong.SendAt)}
        <p class="together">
          <button>Check the list</button>
          <span class="soft">Nothing is sent yet. The next page shows the price.</span>
        </p>
      </form>
    </>
  )
}

function listNote({ list, file }: ListErrors): Markup | false {
  const [id, detail] = list === undefined ? ['file', file] : ['list', list]
  return (
    detail !== undefined && (
      <div class="note bad" role="alert">
        <p>
          <span class="strong">Nothing was sent.</span>
        </p>
        <ul>
          <li>
            <a href={`#${id}`}>{id === 'list' ? 'Recipients' : 'CSV file'}</a>: {detail}
          </li>
        </ul>
      </div>
    )
  )
}

/** Fields that the forms carry from step to step: the server keeps nothing. */
export interface ManyTyped extends TypedTime {
  From: string
  Content: string
  CallbackUrl: string
  list: string
}

/** Errors of the list as a whole. */
export interface ListErrors {
  list?: string
  file?: string
}

export function manyTypedIn(form: URLSearchParams): ManyTyped & ListErrors {
  const [list, file] = [linesOf(form.get('list') ?? ''), linesOf(form.get('file') ?? '')]
  const isFile = file.trim() !== ''
  const both = isFile && list.trim() !== ''
  return {
    From: form.get('From')?.trim() ?? '',
    Content: linesOf(form.get('Content') ?? ''),
    CallbackUrl: form.get('CallbackUrl')?.trim() ?? '',
    ...timeIn(form),
    list: isFile && !both ? file : list,
    ...(both && { file: 'Expected a list or a file, and both came. Empty the list to use the file.' }),
  }
}

export function sharedOf(typed: ManyTyped): Shared {
  const { From, Content, CallbackUrl } = typed
  return { From, Content, ...(CallbackUrl === '' ? {} : { CallbackUrl }), ...sendAtOf(typed) }
}

/** The fields that a text has; none if it can't be read, which its check says. */
export function fieldsIn(content: string): string[] {
  try {
    return readContent(content).fields
  } catch (error) {
    if (error instanceof TypeError) return []
    throw error
  }
}
