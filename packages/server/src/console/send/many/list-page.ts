import type { SenderStatus } from '../../../platform/http/principal.ts'
import type { FormTicket } from '../../../platform/pages/forms.ts'
import { ticketField } from '../../../platform/pages/layout.ts'
import { type Markup, markup } from '../../../platform/pages/markup.ts'
import { formField, textArea } from '../field.ts'
import { LABELS } from '../fields.ts'
import { textField } from '../page.ts'
import { type Refusal, refusalNote } from '../refusal.ts'
import { senderField } from '../senders.ts'
import type { ListErrors, ManyTyped } from './form.ts'

export interface ListView {
  form: FormTicket
  key: string
  typed: ManyTyped
  senders: ReadonlyMap<string, SenderStatus>
  refusal: Refusal | undefined
  errors: ListErrors
}

const FORM_LABELS = { From: LABELS.From, Content: LABELS.Content, CallbackUrl: LABELS.CallbackUrl }

const FIELDS_HINT =
  'Where the list names its columns, {Name} stands for what each line has in the column Name. A brace that is text is written as \\{ or \\}.'

/** The form for a list and its text. Posting it sends nothing. */
export function listForm({ form, key, typed, senders, refusal, errors }: ListView): Markup {
  const wrong = refusal?.fields ?? {}
  return markup`${refusal && refusalNote(refusal, FORM_LABELS)}${listNote(errors)}
<form class="sheet" method="post" action="/send/many" enctype="multipart/form-data">${ticketField(form)}<input type="hidden" name="key" value="${key}">
${formField(
  {
    id: 'list',
    label: 'Recipients',
    hint: 'One a line: a number, then a comma and your reference if you have one. Or the lines of a CSV file, the first with the names of its columns. At most 2 MiB.',
    error: errors.list,
  },
  (ties) =>
    textArea(
      markup`class="box mono" ${ties} name="list" rows="6" placeholder="233241234567,customer-1"`,
      typed.list,
    ),
)}
${formField(
  { id: 'file', label: 'Or a CSV file', error: errors.file },
  (ties) =>
    markup`<input class="box" type="file" ${ties} name="file" accept=".csv,.txt,text/csv,text/plain">`,
)}
<div class="two">${senderField({ senders, chosen: typed.From, error: wrong.From })}
${formField(
  { id: 'CallbackUrl', label: LABELS.CallbackUrl, optional: true, error: wrong.CallbackUrl },
  (ties) =>
    markup`<input class="box mono" ${ties} name="CallbackUrl" value="${typed.CallbackUrl}" inputmode="url" autocomplete="off">`,
)}</div>
${textField(typed.Content, wrong.Content, FIELDS_HINT)}
<p class="together"><button>Check the list</button><span class="soft">Nothing is sent yet. The next page shows the price.</span></p></form>`
}

function listNote({ list, file }: ListErrors): Markup | false {
  const [id, detail] = list === undefined ? ['file', file] : ['list', list]
  return (
    detail !== undefined &&
    markup`<div class="note bad" role="alert"><p><span class="strong">Nothing was sent.</span></p><ul><li><a href="#${id}">${id === 'list' ? 'Recipients' : 'CSV file'}</a>: ${detail}</li></ul></div>`
  )
}
